package why

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/live"
	"wheelwright.dev/wheelwright/cli/terminal"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Answer is what a Component waits for, and what to do.
type Answer struct {
	Namespace string `json:"namespace"`
	Component string `json:"component"`
	Healthy   bool   `json:"healthy"`
	// Reason is one word, for scripts.
	Reason string `json:"reason"`
	// Because is one sentence.
	Because string `json:"because"`
	// Next is what to type or do.
	Next string `json:"next"`
	// Through are the Components that the cause was found through, as namespace/name: the last one is where to act.
	Through []string `json:"through,omitempty"`
}

// Print writes the sentence, and a line with what to do.
func (a *Answer) Print(out io.Writer) error {
	_, err := fmt.Fprintln(out, a.Because)
	if err == nil && a.Next != "" {
		_, err = fmt.Fprintln(out, "Next:", a.Next)
	}
	return err
}

// finding is an answer that does not name its Component yet.
type finding struct {
	healthy bool
	reason  string
	// because goes on from the name of the Component.
	because string
	next    string
	through []string
}

// maxDetail keeps what others say within a sentence that a person reads.
const maxDetail = 600

// detail is what somebody says, ready to be part of a sentence.
func detail(text string) string {
	return strings.TrimRight(terminal.Cut(terminal.Clean(text), maxDetail), ". ")
}

// subject is a Component that is asked about.
type subject struct {
	*live.Node
	// path are the Components that lead to it.
	path []client.ObjectKey
	*Facts
}

func (s *subject) key() client.ObjectKey { return client.ObjectKeyFromObject(s.Component) }

// condition is that of a type, which is Unknown where nothing is said.
func (s *subject) condition(typ string) metav1.Condition {
	for _, one := range s.Component.Status.Conditions {
		if one.Type == typ {
			return one
		}
	}
	return metav1.Condition{Type: typ, Status: metav1.ConditionUnknown}
}

// Explain finds the answer. It is pure.
func Explain(facts Facts) Answer {
	asked := &subject{Node: facts.Tree, Facts: &facts}
	found := asked.explain()
	return Answer{
		Namespace: asked.Namespace, Component: asked.Name,
		Healthy: found.healthy, Reason: terminal.Clean(found.reason),
		Because: fmt.Sprintf("Component %s %s.", asked.key(), found.because),
		Next:    found.next, Through: found.through,
	}
}

// explain asks one question after the other; the first one that has an answer is what matters.
func (s *subject) explain() *finding {
	for _, question := range []func() *finding{
		s.unanswered, s.deleting, s.healthy, s.waiting, s.notRendered, s.workflowStopped, s.notApplied, s.unhealthy,
	} {
		if found := question(); found != nil {
			return found
		}
	}
	return s.unready()
}

// through is a finding about another Component that this one waits for.
func (s *subject) through(node *live.Node, how string) *finding {
	key := client.ObjectKeyFromObject(node.Component)
	path := append(slices.Clone(s.path), s.key())
	if at := slices.Index(path, key); at >= 0 {
		return s.circle(path[at:])
	}
	found := (&subject{Node: node, path: path, Facts: s.Facts}).explain()
	return &finding{
		reason:  found.reason,
		because: fmt.Sprintf("%s Component %s, which %s", how, key, found.because),
		next:    found.next,
		through: append([]string{key.String()}, found.through...),
	}
}

// circle says that Components wait for each other.
func (s *subject) circle(path []client.ObjectKey) *finding {
	names := make([]string, 0, len(path)+1)
	for _, key := range append(slices.Clone(path), path[0]) {
		names = append(names, key.String())
	}
	return &finding{
		reason:  "DependencyCycle",
		because: "waits in a circle: " + strings.Join(names, " → "),
		next:    "take one of them out of the dependsOn, or the properties, of another: " + s.edit(),
	}
}

// lastWrite is when somebody last wrote to a Component's spec or metadata, as far as the API server keeps it.
func lastWrite(component *corev1alpha1.Component) time.Time {
	last := component.CreationTimestamp.Time
	for _, entry := range component.ManagedFields {
		if entry.Subresource == "" && entry.Time != nil && entry.Time.After(last) {
			last = entry.Time.Time
		}
	}
	if deleted := component.DeletionTimestamp; deleted != nil && deleted.After(last) {
		last = deleted.Time
	}
	return last
}
