// Package live reads what is on a cluster of a Component: what it owns, what lies below that, and how each object stands. It
// only reads, with the rights of whoever asks; what they may not read is shown as that.
package live

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Health is how an object stands.
type Health string

// Healths. The first four are those that kstatus has for all kinds.
const (
	Current     Health = "Current"
	InProgress  Health = "InProgress"
	Failed      Health = "Failed"
	Terminating Health = "Terminating"
	// Missing: the Component's tracker names the object, and it is not on the cluster.
	Missing Health = "Missing"
	// Foreign: an object of that name is there, and its labels do not name the Component.
	Foreign Health = "Foreign"
	// Ended: the object was to be applied once, was, and is gone since. Nobody puts it back.
	Ended Health = "Ended"
	// Unreadable: the object cannot be read; the message says why.
	Unreadable Health = "Unreadable"
)

// Node is an object of the tree below a Component.
type Node struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	// Output is the name of the output that rendered the object.
	Output string `json:"output,omitempty"`
	// Step is the workflow step that made the object.
	Step   string `json:"step,omitempty"`
	Health Health `json:"health"`
	// Reason is one word for what is wrong, as CrashLoopBackOff.
	Reason  string     `json:"reason,omitempty"`
	Message string     `json:"message,omitempty"`
	Created *time.Time `json:"created,omitempty"`
	// Held are the finalizers that a deleted object waits for, but for the agent's own.
	Held []string `json:"held,omitempty"`
	// Unread says what below the object could not be read.
	Unread []string `json:"unread,omitempty"`
	Below  []*Node  `json:"below,omitempty"`

	// Component is set where the object is one.
	Component *corev1alpha1.Component `json:"-"`
	// owner is the Component whose tracker names the object, and once is set where that says that it was applied once and for all.
	owner types.UID
	once  bool
	// UID is empty where the object was not read.
	UID types.UID `json:"-"`
}

// Title names the object as people do: Deployment shop/web.
func (n *Node) Title() string { return n.key().String() }

func (n *Node) key() object.Key {
	bare := &unstructured.Unstructured{Object: map[string]any{}}
	bare.SetAPIVersion(n.APIVersion)
	bare.SetKind(n.Kind)
	bare.SetNamespace(n.Namespace)
	bare.SetName(n.Name)
	key := object.KeyOf(bare)
	if key.Group == corev1alpha1.GroupVersion.Group {
		key.Group = "" // people who ask for Components know whose they are
	}
	return key
}

// Present tells whether the object is on the cluster, as far as that is known.
func (n *Node) Present() bool { return n.UID != "" }

// Walk calls visit for the object and all below it, from the top.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, below := range n.Below {
		below.Walk(visit)
	}
}

// Healthy tells whether neither the object nor anything below it has a problem.
func (n *Node) Healthy() bool {
	healthy := true
	n.Walk(func(node *Node) { healthy = healthy && node.Health == Current })
	return healthy
}

// severities order healths by how much they call for somebody.
var severities = map[Health]int{Failed: 6, Missing: 5, Foreign: 4, InProgress: 3, Terminating: 2, Unreadable: 1, Ended: 0, Current: 0}

// Severity is how much the object, or the worst one below it, calls for somebody. It is 0 where all is well.
func (n *Node) Severity() int {
	worst := 0
	n.Walk(func(node *Node) { worst = max(worst, severities[node.Health]) })
	return worst
}

// Worst is the object to look at, or nil where all is well: of what is not healthy the deepest one, since what is above waits for
// it. It looks into no other Component, which can tell more than its objects.
func (n *Node) Worst() *Node {
	var worst *Node
	for _, below := range n.Below {
		severity := below.Severity()
		if severity > severities[Unreadable] && (worst == nil || severity > worst.Severity()) {
			worst = below
		}
	}
	switch {
	case worst == nil && severities[n.Health] == 0:
		return nil
	case worst == nil || n.Health == Missing || n.Health == Terminating:
		return n
	case worst.Component != nil:
		return worst
	}
	return worst.Worst()
}
