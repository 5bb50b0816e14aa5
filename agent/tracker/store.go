package tracker

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Wanted is what a Component renders to now.
type Wanted struct {
	// Hash of the rendering, or empty when not all of it could be named.
	Hash      string
	Resources []corev1alpha1.TrackedResource
}

// Store reads and writes ledgers. It is the only writer but for people, and safe for concurrent use; two calls for one Component
// must not overlap.
type Store struct {
	spokeClient client.Client
	written     writes
}

// NewStore makes a Store over spokeClient.
func NewStore(spokeClient client.Client) *Store {
	return &Store{spokeClient: spokeClient, written: writes{last: map[string]write{}}}
}

// Load gives the ledger of owner, or nil when it has none.
func (s *Store) Load(ctx context.Context, owner object.Owner) (*Ledger, error) {
	return read(owner, s.getter(ctx))
}

// Version tells states of the ledger of owner apart, without decoding it. It is "" when there is none.
func (s *Store) Version(ctx context.Context, owner object.Owner) (string, error) {
	objects, err := readObjects(owner, s.getter(ctx))
	return version(objects), err
}

func (s *Store) getter(ctx context.Context) getter {
	return func(name string) (*corev1alpha1.ResourceTracker, error) {
		cached, err := get(ctx, s.spokeClient, name)
		if err != nil {
			return nil, err
		}
		return s.written.newest(name, cached), nil
	}
}

// Record makes sure that everything in wanted is on the ledger, beside what is there, and says that the ledger was written
// for this rendering. It writes only what is not so already. It must succeed before anything of wanted is applied.
func (s *Store) Record(ctx context.Context, owner object.Owner, ledger *Ledger, wanted Wanted) (*Ledger, error) {
	if ledger != nil && ledger.RenderHash == wanted.Hash && ledger.isSound(owner) && ledger.ContainsAll(wanted.Resources) {
		return ledger, nil
	}
	next := &Ledger{Owner: owner, RenderHash: wanted.Hash, Resources: recorded(ledger, wanted)}
	if ledger != nil {
		next.parts = ledger.parts
	}
	return s.write(ctx, next)
}

// Drop takes resources off the ledger. They must be gone from the cluster, or no longer the owner's.
func (s *Store) Drop(ctx context.Context, ledger *Ledger, resources []corev1alpha1.TrackedResource) (*Ledger, error) {
	kept := without(ledger.Resources, resources)
	if len(kept) == len(ledger.Resources) {
		return ledger, nil
	}
	return s.write(ctx, &Ledger{Owner: ledger.Owner, RenderHash: ledger.RenderHash, Resources: kept, parts: ledger.parts})
}

// Delete removes the whole ledger. Nothing that it names may be left. The first object goes last: where the agent ends in
// between, the others are still found.
func (s *Store) Delete(ctx context.Context, ledger *Ledger) error {
	for _, part := range slices.Backward(ledger.parts) {
		if err := s.deletePart(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// write makes the objects of next, which has those of the ledger before, hold its resources. They are written one after the
// other, and whenever the agent ends in between, nothing is lost:
//
//   - A resource that is on the ledger stays in the object where it is. The one exception is that all of them come into the first
//     object, and that is written before the others are deleted.
//   - What is new is not applied before all of it is written. The first object comes last and has the hash, so that no hash
//     speaks of resources that are not recorded. The others are written in turn, so that there is no gap in what is there.
//   - A resource that was dropped may stand in an object that is to be deleted still. It is then found to be gone once more, or
//     not to be the owner's, as before.
func (s *Store) write(ctx context.Context, next *Ledger) (*Ledger, error) {
	before := next.parts
	lists := layout(before, next.Resources)
	next.parts = make([]part, len(lists))
	for i := range lists {
		index := (i + 1) % len(lists)
		var known part
		if index < len(before) {
			known = before[index]
		}
		written, err := s.writePart(ctx, known, specOf(next, index), lists[index])
		if err != nil {
			return nil, err
		}
		next.parts[index] = written
	}
	for _, surplus := range slices.Backward(before[min(len(before), len(lists)):]) {
		if err := s.deletePart(ctx, surplus); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// specOf is what the object of a part says beside its resources.
func specOf(ledger *Ledger, index int) corev1alpha1.ResourceTrackerSpec {
	spec := corev1alpha1.ResourceTrackerSpec{Component: ledger.Owner, Part: int32(index)}
	if index == 0 {
		spec.RenderHash = ledger.RenderHash
	}
	if index == 0 && len(ledger.parts) > 1 {
		spec.Parts = int32(len(ledger.parts))
	}
	return spec
}

// writePart creates or updates under the resource version that was read, so that a stale read costs a retry and nothing else.
func (s *Store) writePart(
	ctx context.Context, known part, spec corev1alpha1.ResourceTrackerSpec, resources []corev1alpha1.TrackedResource,
) (part, error) {
	if known.says(spec, resources) {
		return known, nil
	}
	if err := encode(&spec, resources); err != nil {
		return part{}, err
	}
	next := &corev1alpha1.ResourceTracker{Spec: spec}
	next.Name = partName(spec.Component, int(spec.Part))
	var err error
	if known.stored == nil {
		err = s.spokeClient.Create(ctx, next)
	} else {
		known.stored.ObjectMeta.DeepCopyInto(&next.ObjectMeta)
		err = s.spokeClient.Update(ctx, next)
	}
	if err != nil {
		s.written.forget(next.Name)
		return part{}, fmt.Errorf("writing ResourceTracker %s: %w", next.Name, err)
	}
	s.written.note(next)
	return part{stored: next, resources: resources}, nil
}

func (s *Store) deletePart(ctx context.Context, surplus part) error {
	if surplus.stored == nil {
		return nil
	}
	gone := &corev1alpha1.ResourceTracker{}
	gone.Name, gone.UID = surplus.stored.Name, surplus.stored.UID
	s.written.noteDeletion(gone)
	err := s.spokeClient.Delete(ctx, gone, client.Preconditions{UID: &gone.UID})
	if err != nil {
		s.written.forget(gone.Name)
	}
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting ResourceTracker %s: %w", gone.Name, err)
	}
	return nil
}
