package events

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/cli/live"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// members are the objects whose events are to be shown.
type members struct {
	uids map[types.UID]bool
	// names are those of objects of which no UID is known: what is gone has events still.
	names map[object.Key]bool
}

func membersOf(tree *live.Node) *members {
	m := &members{uids: map[types.UID]bool{}, names: map[object.Key]bool{}}
	tree.Walk(func(node *live.Node) {
		if node.Present() {
			m.uids[node.UID] = true
		} else {
			m.names[object.Key{Kind: node.Kind, Namespace: node.Namespace, Name: node.Name}] = true
		}
	})
	return m
}

func (m *members) knows(about corev1.ObjectReference) bool {
	return m.uids[about.UID] || m.names[object.Key{Kind: about.Kind, Namespace: about.Namespace, Name: about.Name}]
}

// lookup finds out of objects that came later whether they belong to the tree.
type lookup struct {
	reader client.Reader
	*members
	asked map[types.UID]bool
}

// maxOwners bounds the owners that are followed from an object up: pod, ReplicaSet, Deployment, and what operators put above.
const maxOwners = 5

// knows reads each object that it does not know once: its labels name the Component, or its owner belongs to the tree.
func (l *lookup) knows(ctx context.Context, about corev1.ObjectReference) bool {
	return l.members.knows(about) || l.owned(ctx, about, maxOwners)
}

func (l *lookup) owned(ctx context.Context, about corev1.ObjectReference, left int) bool {
	if l.uids[about.UID] {
		return true
	}
	if left == 0 || about.UID == "" || l.asked[about.UID] {
		return false
	}
	l.asked[about.UID] = true
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(about.GroupVersionKind())
	key := client.ObjectKey{Namespace: about.Namespace, Name: about.Name}
	if err := l.reader.Get(ctx, key, found); err != nil || found.UID != about.UID {
		return false // it is gone, or may not be read, so that nothing says whose it is
	}
	belongs := l.uids[types.UID(found.Labels[corev1alpha1.ComponentUIDLabel])]
	if owner := metav1.GetControllerOf(found); owner != nil && !belongs {
		above := corev1.ObjectReference{
			APIVersion: owner.APIVersion, Kind: owner.Kind, Namespace: about.Namespace, Name: owner.Name, UID: owner.UID,
		}
		belongs = l.owned(ctx, above, left-1)
	}
	if belongs {
		l.uids[about.UID] = true
	}
	return belongs
}
