package component

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/tracker"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// remove takes a Component that is being deleted off the cluster. It is called again at each event until nothing is left:
//
//	a. status.health is cleared, since nothing that it could say is true any longer
//	b. the steps of workflow.delete run that stand before dispatch-delete
//	c. dispatch-delete: what the tracker holds is deleted, in the reverse order of applying
//	d. when all of that is really gone, the tracker is
//	e. the steps behind dispatch-delete run
//	f. and then the finalizer goes
//
// Where there is no workflow that could be run, c and d are all of it, and the tracker is all that they need: a definition that
// is broken or gone is in nobody's way.
func (r *Reconciler) remove(ctx context.Context, component *corev1alpha1.Component) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(component, corev1alpha1.ComponentFinalizer) {
		return reconcile.Result{}, nil
	}
	current := newRun(component, r.clock.Now())
	if component.Status.Health != nil || component.Status.IsHealthy != nil {
		// The event of this write brings the Component back, for the rest.
		return reconcile.Result{}, r.writeStatus(ctx, component, statusOfDeletion(current, "Everything that it owns is being deleted."))
	}
	err := r.identifyForRemoval(ctx, current)
	waits := ""
	if err == nil {
		waits, err = r.undo(ctx, current)
	}
	if errors.Is(err, errSuperseded) {
		return reconcile.Result{}, err
	}
	if err != nil {
		status := statusOfDeletion(current, fmt.Sprintf("What it owns cannot be deleted: %v%s.", current.withoutSecrets(err), current.forbidden(err)))
		return reconcile.Result{}, errors.Join(err, r.writeStatus(ctx, component, status))
	}
	if waits != "" {
		return reconcile.Result{RequeueAfter: current.recheck}, r.writeStatus(ctx, component, statusOfDeletion(current, waits))
	}
	before := component.DeepCopy()
	controllerutil.RemoveFinalizer(component, corev1alpha1.ComponentFinalizer)
	if err := r.patchMetadata(ctx, before, component); err != nil {
		return reconcile.Result{}, err
	}
	r.forget(ctx, client.ObjectKeyFromObject(component))
	return reconcile.Result{}, nil
}

// undo makes one pass over what is to be done before the finalizer goes, and says what it waits for, or "".
func (r *Reconciler) undo(ctx context.Context, run *run) (string, error) {
	hasWorkflow, err := r.loadDeletion(ctx, run)
	if err != nil {
		return "", err
	}
	if hasWorkflow {
		return r.undoByWorkflow(ctx, run)
	}
	return r.undoByTracker(ctx, run)
}

func (r *Reconciler) undoByTracker(ctx context.Context, run *run) (string, error) {
	left, err := r.removeOwned(ctx, run)
	if err != nil || len(left) == 0 {
		return "", err
	}
	return fmt.Sprintf("Waiting for what it owns to be gone: %v.", left), nil
}

// removeOwned deletes what the tracker holds, and then the tracker. It gives back what is still there.
func (r *Reconciler) removeOwned(ctx context.Context, run *run) (apply.Failures, error) {
	ledger, err := r.ledgerForRemoval(ctx, run)
	if ledger == nil || err != nil {
		return nil, err
	}
	run.ledger = ledger
	if err := r.watcher.Use(ctx, run.name(), r.kinds(run)); err != nil {
		return nil, err
	}
	removal, err := r.applier.As(run.actor.Client).Remove(ctx, run.owner, ledger.Resources)
	if err != nil || len(removal.Left) > 0 {
		return removal.Left, err
	}
	r.publish(run.component, damage(run))
	return nil, r.trackers.Delete(ctx, ledger)
}

// ledgerForRemoval loads the tracker, with what it should name and does not.
func (r *Reconciler) ledgerForRemoval(ctx context.Context, run *run) (*tracker.Ledger, error) {
	var err error
	if run.ledger, err = r.trackers.Load(ctx, run.owner); err != nil {
		return nil, err
	}
	var held tracker.Wanted
	if run.ledger != nil {
		held = tracker.Wanted{Hash: run.ledger.RenderHash, Resources: run.ledger.Resources}
	}
	resources, err := r.recovered(ctx, run, held.Resources)
	if err != nil || len(resources) == len(held.Resources) {
		return run.ledger, err
	}
	held.Resources = resources
	return r.trackers.Record(ctx, run.owner, run.ledger, held)
}

// statusOfDeletion says nothing of health, and what is waited for.
func statusOfDeletion(run *run, message string) corev1alpha1.ComponentStatus {
	component := run.component
	status := corev1alpha1.ComponentStatus{
		ObservedGeneration: component.Generation,
		Conditions:         component.DeepCopy().Status.Conditions,
	}
	keepLifecycle(run, &status)
	conditions := []metav1.Condition{
		{Type: condition.Ready, Status: metav1.ConditionFalse, Reason: condition.ReasonDeleting, Message: message},
		{Type: condition.Healthy, Status: metav1.ConditionFalse, Reason: condition.ReasonDeleting, Message: message},
	}
	if run.hasWorkflow && run.workflowRun != nil {
		said := deletionCondition(run)
		conditions = append(conditions, said)
		if said.Status == metav1.ConditionFalse {
			conditions[0].Reason = said.Reason
		}
	}
	for _, one := range conditions {
		setCondition(&status, run, one)
	}
	deleting := pace{status: condition.Progressing, reason: condition.ReasonDeleting, message: message}
	if conditions[0].Reason != condition.ReasonDeleting {
		deleting = pace{status: condition.Stalled, reason: conditions[0].Reason, message: message}
	}
	deleting.set(&status, run)
	return status
}
