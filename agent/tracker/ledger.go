// Package tracker keeps the ledger of what each Component owns on its cluster: written before anything is applied, so that
// nothing that was applied can be forgotten, whatever happens in between. It names objects and holds nothing of their content,
// so that no Secret can get into it.
package tracker

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Ledger is what one Component owns, or is about to own. It must not be changed.
type Ledger struct {
	Owner object.Owner
	// RenderHash is the hash of the rendering that the ledger was recorded for.
	RenderHash string
	// Resources are in the order of applying.
	Resources []corev1alpha1.TrackedResource

	// parts are the objects that hold it. What stands in any of them is on the ledger.
	parts []part
}

// Version is that of the Store for the same state of the ledger.
func (l *Ledger) Version() string {
	objects := make([]*corev1alpha1.ResourceTracker, len(l.parts))
	for i, part := range l.parts {
		objects[i] = part.stored
	}
	return version(objects)
}

// ContainsAll tells whether all of resources are on the ledger just as they are given, whenever they came to be.
func (l *Ledger) ContainsAll(resources []corev1alpha1.TrackedResource) bool {
	held := make(map[corev1alpha1.TrackedResource]bool, len(l.Resources))
	for _, resource := range l.Resources {
		resource.Wave, resource.FormerSpecHashes = 0, ""
		held[resource] = true
	}
	return !slices.ContainsFunc(resources, func(resource corev1alpha1.TrackedResource) bool { return !held[resource] })
}

// Leftover is what the ledger holds and wanted does not have any more: what garbage collection takes away.
func (l *Ledger) Leftover(wanted []corev1alpha1.TrackedResource) []corev1alpha1.TrackedResource {
	return without(l.Resources, wanted)
}

// Damage says which parts of the ledger cannot be decoded, because somebody edited them, or nil. What those named is not on the
// ledger, as if they had been deleted. The next Record writes either anew.
func (l *Ledger) Damage() error {
	faults := make([]error, 0, len(l.parts))
	for _, part := range l.parts {
		faults = append(faults, part.fault)
	}
	return errors.Join(faults...)
}

// IsEdited tells whether somebody else wrote to the ledger, or deleted a part of it, as far as that can be seen.
func (l *Ledger) IsEdited() bool {
	return l.Damage() != nil || slices.ContainsFunc(l.parts, func(part part) bool { return part.stored == nil || part.isMiscounted() })
}

// isSound tells whether the objects are as the Store writes them for owner.
func (l *Ledger) isSound(owner object.Owner) bool {
	for i, part := range l.parts {
		if part.fault != nil || part.stored == nil || part.isMiscounted() || part.stored.Spec.Component != owner || int(part.stored.Spec.Part) != i {
			return false
		}
	}
	return len(l.parts) > 0 && max(1, int(l.parts[0].stored.Spec.Parts)) == len(l.parts)
}

// recorded are the resources of ledger as they must be before those of wanted are applied: they and everything that was
// recorded before. A ledger that an earlier Component of the same name left behind is taken over with what it has.
func recorded(ledger *Ledger, wanted Wanted) []corev1alpha1.TrackedResource {
	if ledger == nil {
		return union(wanted.Resources, nil)
	}
	return union(withHistory(wanted.Resources, ledger.Resources), ledger.Resources)
}

// withHistory gives wanted the waves and the former specs of what is held. Those that are new have a wave of their own.
func withHistory(wanted, held []corev1alpha1.TrackedResource) []corev1alpha1.TrackedResource {
	before := make(map[object.Key]corev1alpha1.TrackedResource, len(held))
	next := int32(0)
	for _, resource := range held {
		before[object.KeyOfTracked(resource)] = resource
		next = max(next, resource.Wave+1)
	}
	wanted = slices.Clone(wanted)
	for i := range wanted {
		resource, ok := before[object.KeyOfTracked(wanted[i])]
		if !ok {
			wanted[i].Wave = next
			continue
		}
		wanted[i].Wave, wanted[i].FormerSpecHashes = resource.Wave, formerSpecHashes(resource, wanted[i].SpecHash)
	}
	return wanted
}

// maxFormer bounds the former specs of a Component that are known.
const maxFormer = 4

// formerSpecHashes are those of held when its spec becomes another one.
func formerSpecHashes(held corev1alpha1.TrackedResource, next string) string {
	if held.SpecHash == next || held.SpecHash == "" {
		return held.FormerSpecHashes
	}
	former := append([]string{held.SpecHash}, strings.Split(held.FormerSpecHashes, ",")...)
	former = slices.DeleteFunc(former, func(hash string) bool { return hash == "" || hash == next })
	return strings.Join(former[:min(len(former), maxFormer)], ",")
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

// inOrder sorts by rank, wave and then by name, so that one set of resources is always one list.
func inOrder(resources []corev1alpha1.TrackedResource) []corev1alpha1.TrackedResource {
	slices.SortFunc(resources, func(a, b corev1alpha1.TrackedResource) int {
		return cmp.Or(
			cmp.Compare(object.Rank(a.Group, a.Kind), object.Rank(b.Group, b.Kind)),
			cmp.Compare(a.Wave, b.Wave),
			cmp.Compare(a.Group, b.Group),
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Namespace, b.Namespace),
			cmp.Compare(a.Name, b.Name),
		)
	})
	return resources
}
