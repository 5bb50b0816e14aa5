package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// maxSharers bounds the annotation that names them.
const maxSharers = 64

// share joins owner to those that share an object of another Component, whose rendering stays. That one must share it too.
func (a *Applier) share(ctx context.Context, owner object.Owner, wanted Object, others *OwnedError) (State, error) {
	live := others.Live
	for range removeTries {
		other, _ := object.OwnerOf(live.GetLabels())
		if other != others.Owner || live.GetAnnotations()[corev1alpha1.OwnershipAnnotation] != corev1alpha1.OwnershipShared {
			return State{}, &OwnedError{Owner: others.Owner, Live: others.Live}
		}
		if live.GetDeletionTimestamp() != nil {
			return State{}, &TerminatingError{Finalizers: live.GetFinalizers(), Live: live}
		}
		sharers := object.Sharers(live.GetAnnotations())
		if slices.Contains(sharers, owner) {
			return State{Output: wanted.Output, Live: live, Settled: true}, nil
		}
		if len(sharers) >= maxSharers {
			return State{}, fmt.Errorf("is shared by %d Components already, and by no more: give it another name", len(sharers))
		}
		// The watch may be behind, and so may not show that owner has joined: the resource version keeps that from being written
		// again.
		joined, err := a.patchMetadata(ctx, live, metadata{sharers: append(sharers, owner)})
		if err == nil {
			return State{Output: wanted.Output, Live: joined.(*unstructured.Unstructured), Settled: true}, nil
		}
		if !apierrors.IsConflict(err) {
			return State{}, fmt.Errorf("joining those that share it: %w", err)
		}
		live = &unstructured.Unstructured{}
		live.SetGroupVersionKind(wanted.Output.Object.GroupVersionKind())
		if err := a.spokeReader.Get(ctx, client.ObjectKey{Namespace: wanted.Key.Namespace, Name: wanted.Key.Name}, live); err != nil {
			return State{}, fmt.Errorf("reading it to share it: %w", err)
		}
	}
	return State{}, fmt.Errorf("it was written to by others each of the %d times that joining its sharers was tried", removeTries)
}

// handOver gives an object that owner leaves to the next of those that share it and exist, who then applies its own rendering.
// It is false when there is none.
func (a *Applier) handOver(ctx context.Context, owner object.Owner, live *metav1.PartialObjectMetadata) (bool, error) {
	sharers := without(object.Sharers(live.Annotations), owner)
	for i, next := range sharers {
		exists, err := a.exists(ctx, next)
		if err != nil {
			return false, err
		}
		if exists {
			_, err = a.patchMetadata(ctx, live, metadata{owner: &next, sharers: sharers[i+1:]})
			return true, err
		}
	}
	return false, nil
}

// leave takes owner off those that share an object of another Component.
func (a *Applier) leave(ctx context.Context, owner object.Owner, live *metav1.PartialObjectMetadata) error {
	sharers := object.Sharers(live.Annotations)
	if !slices.Contains(sharers, owner) {
		return nil
	}
	_, err := a.patchMetadata(ctx, live, metadata{sharers: without(sharers, owner)})
	return err
}

func without(sharers []object.Owner, owner object.Owner) []object.Owner {
	return slices.DeleteFunc(slices.Clone(sharers), func(one object.Owner) bool { return one.UID == owner.UID })
}

// metadata is what patchMetadata makes of an object's.
type metadata struct {
	// owner, if any, becomes the owner.
	owner *object.Owner
	// nobodys: the object loses all by which it is known to be a Component's.
	nobodys bool
	sharers []object.Owner
}

// patchMetadata writes to the object as it was seen, and to no other: one that somebody wrote to since makes a conflict.
func (a *Applier) patchMetadata(ctx context.Context, seen client.Object, next metadata) (client.Object, error) {
	labels, annotations := map[string]any{}, map[string]any{corev1alpha1.SharedByAnnotation: nil}
	if len(next.sharers) > 0 {
		annotations[corev1alpha1.SharedByAnnotation] = object.SharersText(next.sharers)
	}
	if next.owner != nil {
		labels[corev1alpha1.ComponentUIDLabel] = next.owner.UID
		labels[corev1alpha1.ComponentNameLabel] = next.owner.Name
		labels[corev1alpha1.ComponentNamespaceLabel] = next.owner.Namespace
	}
	if next.nobodys {
		annotations[corev1alpha1.AppliedHashAnnotation] = nil
		for _, label := range []string{corev1alpha1.ComponentUIDLabel, corev1alpha1.ComponentNameLabel,
			corev1alpha1.ComponentNamespaceLabel, corev1alpha1.OutputLabel} {
			labels[label] = nil
		}
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": seen.GetUID(), "resourceVersion": seen.GetResourceVersion(), "labels": labels, "annotations": annotations,
	}})
	if err != nil {
		return nil, err
	}
	written := seen.DeepCopyObject().(client.Object)
	return written, a.writer.Patch(ctx, written, client.RawPatch(types.MergePatchType, body), client.FieldOwner(FieldManager))
}
