package apply

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// removeTries bounds how often the removal of one object is tried again because somebody else wrote to it meanwhile.
const removeTries = 5

// Removal is how far the removal of recorded objects has come.
type Removal struct {
	// Gone are those that are not on the cluster any more, or not owner's, or not any more.
	Gone []corev1alpha1.TrackedResource
	// Left are those that are still there, each with what it waits for.
	Left Failures
}

// Remove lets go of recorded resources of owner, those that were applied last first: they are deleted, unless they are
// retained or shared. Objects of one rank and wave go together, and the next ones once they are really gone. An object whose
// labels do not name owner, or not any more, is left alone and counts as gone. An error is the API server's; what was done
// until then is in the Removal.
func (a *Applier) Remove(ctx context.Context, owner object.Owner, resources []corev1alpha1.TrackedResource) (Removal, error) {
	var removal Removal
	waiting := place{}
	for _, resource := range slices.Backward(resources) {
		key := object.KeyOfTracked(resource)
		at := place{rank: object.Rank(resource.Group, resource.Kind), wave: resource.Wave}
		if len(removal.Left) > 0 && at != waiting {
			removal.Left = append(removal.Left, Failure{Key: key, Err: errNotYet})
			continue
		}
		waitsFor, err := a.letGo(ctx, owner, resource)
		switch {
		case err != nil:
			return removal, fmt.Errorf("deleting %s: %w", key, err)
		case waitsFor != nil:
			removal.Left = append(removal.Left, Failure{Key: key, Err: waitsFor})
			waiting = at
		default:
			a.memory.drop(owner.UID, key)
			removal.Gone = append(removal.Gone, resource)
		}
	}
	return removal, nil
}

// place is that of an object in the order of removing. Objects of one place go together.
type place struct {
	rank int
	wave int32
}

// errNotYet is why an object is not deleted that others still need.
var errNotYet = fmt.Errorf("is deleted after those")

// letGo ends what owner has of one object: to its other sharers it goes over, one that is retained becomes nobody's, and any
// other is deleted. It gives back what an object waits for that is not gone at once, as one with finalizers.
func (a *Applier) letGo(ctx context.Context, owner object.Owner, resource corev1alpha1.TrackedResource) (*TerminatingError, error) {
	return a.end(ctx, resource, func(live *metav1.PartialObjectMetadata) (bool, error) {
		if !object.IsOwnedBy(live.Labels, owner) {
			return true, a.leave(ctx, owner, live)
		}
		if handed, err := a.handOver(ctx, owner, live); handed || err != nil {
			return true, err
		}
		if resource.Retain {
			_, err := a.patchMetadata(ctx, live, metadata{nobodys: true})
			return true, err
		}
		return false, a.deleteSeen(ctx, live)
	})
}

// deleteOwned deletes one object, if it is owner's, and tells as letGo does what it waits for.
func (a *Applier) deleteOwned(ctx context.Context, owner object.Owner, resource corev1alpha1.TrackedResource) (*TerminatingError, error) {
	return a.end(ctx, resource, func(live *metav1.PartialObjectMetadata) (bool, error) {
		if !object.IsOwnedBy(live.Labels, owner) {
			return true, nil
		}
		return false, a.deleteSeen(ctx, live)
	})
}

// end reads an object and has try do something about it, again where somebody else wrote to it meanwhile, until try is done, or
// the object is gone or going.
func (a *Applier) end(
	ctx context.Context, resource corev1alpha1.TrackedResource, try func(*metav1.PartialObjectMetadata) (bool, error),
) (*TerminatingError, error) {
	for range removeTries {
		live, err := a.read(ctx, resource)
		if live == nil || err != nil {
			return nil, err
		}
		done, err := try(live)
		if apierrors.IsNotFound(err) || err == nil && done {
			return nil, nil
		}
		if err == nil && live.DeletionTimestamp != nil {
			return &TerminatingError{Finalizers: live.Finalizers}, nil
		}
		if err != nil && !apierrors.IsConflict(err) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("it was written to by others each of the %d times that its removal was tried", removeTries)
}

// deleteSeen deletes the object that was read, unless that was done before.
func (a *Applier) deleteSeen(ctx context.Context, live *metav1.PartialObjectMetadata) error {
	if live.DeletionTimestamp != nil {
		return nil
	}
	// The resource version makes sure that the labels that were read are those of the object that is deleted.
	return a.writer.Delete(ctx, live.DeepCopy(),
		client.Preconditions{UID: &live.UID, ResourceVersion: &live.ResourceVersion},
		client.PropagationPolicy(metav1.DeletePropagationBackground))
}

// read reads past every cache, since what is not in the cache may only have lost its labels. It gives nil when the object,
// or its whole kind, is not there.
func (a *Applier) read(ctx context.Context, resource corev1alpha1.TrackedResource) (*metav1.PartialObjectMetadata, error) {
	live := &metav1.PartialObjectMetadata{}
	live.SetGroupVersionKind(object.KindOfTracked(resource))
	err := a.spokeReader.Get(ctx, client.ObjectKey{Namespace: resource.Namespace, Name: resource.Name}, live)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return live, nil
}
