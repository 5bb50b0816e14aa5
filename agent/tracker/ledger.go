// Package tracker keeps the ledger of what each Component owns on its cluster: written before anything is applied, so that
// nothing that was applied can be forgotten, whatever happens in between.
package tracker

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Name of the tracker of a Component. A namespace has no dots, so no two Components share a name.
func Name(owner object.Owner) string { return owner.Namespace + "." + owner.Name }

// recorded is ledger as it must be before the objects named by wanted are applied: they and everything that was recorded
// before. A tracker that an earlier Component of the same name left behind is taken over with what it has.
func recorded(ledger *corev1alpha1.ResourceTracker, owner object.Owner, wanted Wanted) *corev1alpha1.ResourceTracker {
	next := &corev1alpha1.ResourceTracker{ObjectMeta: metav1.ObjectMeta{Name: Name(owner)}}
	if ledger != nil {
		next = ledger.DeepCopy()
	}
	next.Spec.Component = owner
	next.Spec.RenderHash = wanted.Hash
	next.Spec.Resources = union(wanted.Resources, next.Spec.Resources)
	return next
}

// Leftover is what ledger holds and wanted does not have any more.
func Leftover(ledger *corev1alpha1.ResourceTracker, wanted []corev1alpha1.TrackedResource) []corev1alpha1.TrackedResource {
	if ledger == nil {
		return nil
	}
	return without(ledger.Spec.Resources, wanted)
}

// union is first and what second has beside it, in the order of applying.
func union(first, second []corev1alpha1.TrackedResource) []corev1alpha1.TrackedResource {
	return inOrder(append(slices.Clone(first), without(second, first)...))
}

// without is all but those that taken names too, at whatever version.
func without(all, taken []corev1alpha1.TrackedResource) []corev1alpha1.TrackedResource {
	keys := make(map[object.Key]bool, len(taken))
	for _, resource := range taken {
		keys[object.KeyOfTracked(resource)] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(resource corev1alpha1.TrackedResource) bool {
		return keys[object.KeyOfTracked(resource)]
	})
}

// inOrder sorts by rank and then by name, so that one set of resources is always one list.
func inOrder(resources []corev1alpha1.TrackedResource) []corev1alpha1.TrackedResource {
	slices.SortFunc(resources, func(a, b corev1alpha1.TrackedResource) int {
		return cmp.Or(
			cmp.Compare(object.Rank(a.Group, a.Kind), object.Rank(b.Group, b.Kind)),
			cmp.Compare(a.Group, b.Group),
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Namespace, b.Namespace),
			cmp.Compare(a.Name, b.Name),
		)
	})
	return resources
}
