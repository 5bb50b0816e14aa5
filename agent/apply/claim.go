package apply

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// checkFree refuses objects of other Components, unless they are to be taken over, and those that are on their way out.
func (a *Applier) checkFree(ctx context.Context, owner object.Owner, wanted Object, live *unstructured.Unstructured) error {
	if live == nil {
		return nil
	}
	if other, owned := object.OwnerOf(live.GetLabels()); owned && other.UID != owner.UID && !takesOver(wanted, live) {
		exists, err := a.exists(ctx, other)
		if err != nil {
			return err
		}
		if exists {
			return &OwnedError{Owner: other, Live: live}
		}
	}
	if live.GetDeletionTimestamp() != nil {
		return &TerminatingError{Finalizers: live.GetFinalizers(), Live: live}
	}
	return nil
}

// takesOver tells whether wanted may take an object from the Component that owns it. What was taken over once is not taken
// from there: two Components that both take over would do so without end. The object itself says so, so that it holds after a
// restart too.
func takesOver(wanted Object, live *unstructured.Unstructured) bool {
	return wanted.Policy.Ownership == corev1alpha1.OwnershipTakeOver &&
		live.GetAnnotations()[corev1alpha1.OwnershipAnnotation] != corev1alpha1.OwnershipTakeOver
}

// checkComponent refuses a Component that the watch does not show and that is there: what nobody rendered is a person's or the
// hub's, and not to be taken over as other objects are. The one that was applied last stays this Component's, whatever became
// of its labels.
func (a *Applier) checkComponent(ctx context.Context, owner object.Owner, wanted Object, last applied) error {
	there := &metav1.PartialObjectMetadata{}
	there.SetGroupVersionKind(wanted.Output.Object.GroupVersionKind())
	err := a.spokeReader.Get(ctx, client.ObjectKey{Namespace: wanted.Key.Namespace, Name: wanted.Key.Name}, there)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for a Component of that name: %w", err)
	}
	if there.Labels[corev1alpha1.ComponentUIDLabel] != string(owner.UID) && there.UID != last.uid {
		return &TakenError{}
	}
	return nil
}

// exists tells whether the Component that labels name is there. One that is gone owns nothing any more.
func (a *Applier) exists(ctx context.Context, owner object.Owner) (bool, error) {
	component := &corev1alpha1.Component{}
	err := a.spokeClient.Get(ctx, client.ObjectKey{Namespace: owner.Namespace, Name: owner.Name}, component)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the owner, Component %s/%s: %w", owner.Namespace, owner.Name, err)
	}
	return component.UID == owner.UID, nil
}
