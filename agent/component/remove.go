package component

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// remove takes a Component that is being deleted off the cluster. All it needs is the tracker, so a definition that is
// broken or gone is in nobody's way. It is called again at each event until nothing is left:
//
//	a. status.health is cleared, since nothing that it could say is true any longer
//	b. what the tracker holds is deleted, in the reverse order of applying
//	c. when all of that is really gone, the tracker is
//	d. and then the finalizer
func (r *Reconciler) remove(ctx context.Context, component *corev1alpha1.Component) error {
	if !controllerutil.ContainsFinalizer(component, corev1alpha1.ComponentFinalizer) {
		return nil
	}
	if component.Status.Health != nil || component.Status.IsHealthy != nil {
		// The event of this write brings the Component back, for the rest.
		return r.writeStatus(ctx, component, statusOfDeletion(component, "Everything that it owns is being deleted."))
	}
	left, err := r.removeOwned(ctx, component)
	if err != nil {
		status := statusOfDeletion(component, fmt.Sprintf("What it owns cannot be deleted: %v.", err))
		return errors.Join(err, r.writeStatus(ctx, component, status))
	}
	if len(left) > 0 {
		return r.writeStatus(ctx, component, statusOfDeletion(component, fmt.Sprintf("Waiting for what it owns to be gone: %v.", left)))
	}
	before := component.DeepCopy()
	controllerutil.RemoveFinalizer(component, corev1alpha1.ComponentFinalizer)
	if err := r.patchMetadata(ctx, before, component); err != nil {
		return err
	}
	r.forget(ctx, client.ObjectKeyFromObject(component))
	return nil
}

// removeOwned deletes what the tracker holds, and then the tracker. It gives back what is still there.
func (r *Reconciler) removeOwned(ctx context.Context, component *corev1alpha1.Component) (apply.Failures, error) {
	owner := object.OwnerFor(component)
	ledger, err := r.trackers.Load(ctx, owner)
	if ledger == nil || err != nil {
		return nil, err
	}
	name := types.NamespacedName{Namespace: component.Namespace, Name: component.Name}
	if err := r.watcher.Use(ctx, name, kindsOf(ledger, r.served)); err != nil {
		return nil, err
	}
	removal, err := r.applier.Remove(ctx, owner, ledger.Spec.Resources)
	if err != nil || len(removal.Left) > 0 {
		return removal.Left, err
	}
	return nil, r.trackers.Delete(ctx, ledger)
}

// statusOfDeletion says nothing of health, and what is waited for.
func statusOfDeletion(component *corev1alpha1.Component, message string) corev1alpha1.ComponentStatus {
	status := corev1alpha1.ComponentStatus{
		ObservedGeneration: component.Generation,
		Conditions:         component.DeepCopy().Status.Conditions,
	}
	for _, typ := range []string{condition.Ready, condition.Healthy} {
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{
			Type: typ, Status: metav1.ConditionFalse, Reason: condition.ReasonDeleting, Message: condition.Message(message),
			ObservedGeneration: component.Generation,
		})
	}
	return status
}
