package component

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// writeStatus makes status the Component's, when it is not that already. It does so only if nobody wrote to the Component since
// component was read: a status of a spec that is not there any more would be a lie. When somebody did, this status is dropped,
// and the error is errSuperseded.
func (r *Reconciler) writeStatus(ctx context.Context, component *corev1alpha1.Component, status corev1alpha1.ComponentStatus) error {
	written, err := r.checkpoint(ctx, component, status)
	if err == nil && !written {
		return errSuperseded
	}
	return err
}

// checkpoint is writeStatus in the middle of a pass: component becomes what the API server answers. It is false when somebody
// else wrote to the Component, so that the pass must not go on.
func (r *Reconciler) checkpoint(ctx context.Context, component *corev1alpha1.Component, status corev1alpha1.ComponentStatus) (bool, error) {
	if equality.Semantic.DeepEqual(component.Status, status) {
		return true, nil
	}
	next := component.DeepCopy()
	next.Status = status
	patch := client.MergeFromWithOptions(component, client.MergeFromWithOptimisticLock{})
	err := r.spokeClient.Status().Patch(ctx, next, patch)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("writing the status of Component %s/%s: %w", component.Namespace, component.Name, err)
	}
	r.written.Note(next)
	r.publish(next, eventsBetween(component.Status, next.Status))
	*component = *next
	return true, nil
}
