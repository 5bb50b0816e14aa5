package tracker

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// part is one object that a ledger is stored in.
type part struct {
	// stored is the object as it is on the cluster, or nil when it is not there.
	stored    *corev1alpha1.ResourceTracker
	resources []corev1alpha1.TrackedResource
	// fault is why nothing is known of what stored names.
	fault error
}

// Name of the first ResourceTracker of a Component. A namespace has no dots, so no two Components share a name.
func Name(owner object.Owner) string { return owner.Namespace + "." + owner.Name }

// partName is the name of the object that holds a part of the ledger. Those after the first have no dot in their names, which
// every Component's first has.
func partName(owner object.Owner, index int) string {
	if index == 0 {
		return Name(owner)
	}
	sum := sha256.Sum256([]byte(owner.Namespace + "/" + owner.Name))
	return fmt.Sprintf("part-%d-%x", index, sum[:16])
}

// layout distributes resources over parts, each in order. Where all fit into one object, they go there; else each stays where it
// is, so that no write can lose one that is moved from one object to another, and what is new goes where there is room.
func layout(parts []part, resources []corev1alpha1.TrackedResource) [][]corev1alpha1.TrackedResource {
	if totalSize(resources) <= maxPart {
		return [][]corev1alpha1.TrackedResource{resources}
	}
	lists := make([][]corev1alpha1.TrackedResource, max(1, len(parts)))
	sizes := make([]int, len(lists))
	place := func(resource corev1alpha1.TrackedResource, index int) {
		if index == len(lists) {
			lists, sizes = append(lists, nil), append(sizes, 0)
		}
		lists[index] = append(lists[index], resource)
		sizes[index] += sizeOf(resource)
	}

	home := homes(parts)
	var homeless []corev1alpha1.TrackedResource
	for _, resource := range resources {
		if index, ok := home[object.KeyOfTracked(resource)]; ok {
			place(resource, index)
		} else {
			homeless = append(homeless, resource)
		}
	}
	index := 0
	for _, resource := range homeless {
		for index < len(lists) && sizes[index]+sizeOf(resource) > maxPart {
			index++
		}
		place(resource, index)
	}
	for i := range lists {
		inOrder(lists[i])
	}
	for len(lists[len(lists)-1]) == 0 {
		lists = lists[:len(lists)-1]
	}
	return lists
}

// homes are the parts that resources are in. The first counts of two that name the same.
func homes(parts []part) map[object.Key]int {
	home := map[object.Key]int{}
	for index, part := range parts {
		for _, resource := range part.resources {
			if _, ok := home[object.KeyOfTracked(resource)]; !ok {
				home[object.KeyOfTracked(resource)] = index
			}
		}
	}
	return home
}

// isMiscounted tells whether the object names more or fewer resources than the Store wrote.
func (p part) isMiscounted() bool { return int(p.stored.Spec.Count) != len(p.resources) }

// says tells whether the object is there and says spec and resources already, in whichever form.
func (p part) says(spec corev1alpha1.ResourceTrackerSpec, resources []corev1alpha1.TrackedResource) bool {
	if p.stored == nil || p.fault != nil || p.isMiscounted() {
		return false
	}
	stored := p.stored.Spec
	return stored.Component == spec.Component && stored.Part == spec.Part && stored.Parts == spec.Parts &&
		stored.RenderHash == spec.RenderHash && slices.Equal(p.resources, resources)
}
