package component

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	agentrender "wheelwright.dev/wheelwright/agent/render"
	"wheelwright.dev/wheelwright/agent/workflow"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/directive"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// loadDeletion finds out whether the deletion of a Component has a workflow to run. It has none where nothing ever began,
// where the definition is gone or broken, where the Component is not what was rendered for it, where a person or a step ended
// the workflow, and where the namespace goes too: that takes no new objects, so that a Job would hold it up for good.
func (r *Reconciler) loadDeletion(ctx context.Context, run *run) (bool, error) {
	run.resolved = &directive.Resolved{}
	if halted := r.loadState(ctx, run); halted != nil {
		return false, halted.err
	}
	last := run.component.Status.Event
	if last == nil || run.namespaceGoes || run.standing.altered {
		return false, nil
	}
	def, halted := r.findDefinition(ctx, run)
	if halted != nil || !workflow.Declared(def) {
		return false, halted.retry()
	}
	run.work = evaluate.Work{Type: run.component.Spec.Type, Definition: def, Context: agentrender.Context(run.component, r.cluster)}
	id := eventID(run.owner.UID, last.ID, workflow.Delete, def.Hash())
	r.actOnRequest(run, id)
	if made := run.workflowRun; made != nil && made.EventID == id && made.Phase == workflow.PhaseTerminated {
		return false, nil
	}
	usable, err := r.isUsable(ctx, run)
	if err != nil || !usable {
		return false, err
	}
	run.hasWorkflow = true
	return true, nil
}

// isUsable tells whether a workflow can be run for a Component that is being deleted.
func (r *Reconciler) isUsable(ctx context.Context, run *run) (bool, error) {
	err := r.evaluator.Definitions(ctx, run.work)
	exceeded, fault := (*evaluate.LimitError)(nil), (*cue.Error)(nil)
	if errors.As(err, &exceeded) || errors.As(err, &fault) {
		ctrl.LoggerFrom(ctx).Info("The definition is broken, so that the Component is deleted without its workflow", "problem", err.Error())
		return false, nil
	}
	return err == nil, err
}

// undoByWorkflow makes one pass over the delete event.
func (r *Reconciler) undoByWorkflow(ctx context.Context, run *run) (string, error) {
	last := run.component.Status.Event
	params, err := r.formerParams(ctx, run, &last.Target)
	if err != nil {
		return "", err
	}
	values, err := contextValues(run.work.Context)
	if err != nil {
		return "", err
	}
	if run.ledger, err = r.trackers.Load(ctx, run.owner); err != nil {
		return "", err
	}
	if err := r.watcher.Use(ctx, run.name(), r.kinds(run)); err != nil {
		return "", err
	}
	result, err := r.engine.Run(ctx, workflow.Event{
		Component: workflowOwner(run.component), ID: eventID(run.owner.UID, last.ID, workflow.Delete, run.work.Definition.Hash()),
		Kind: workflow.Delete, Definition: run.work.Definition, Run: run.workflowRun,
		Context: workflow.Context{CurrentParams: params, CurrentAPIVersion: last.Target.APIVersion, Workflow: run.state, Values: values},
		Actions: deleteActions{reconciler: r, run: run}, Loader: r, Client: run.actor.Client, Config: run.actor.Config,
		Save: func(ctx context.Context, saved workflow.Run) error { return r.saveDeletion(ctx, run, saved) },
	})
	if result.Run.EventID != "" {
		run.takeIn(result.Run)
		run.recheckIn(result.RecheckAfter)
	}
	if err != nil || result.Run.Phase == workflow.PhaseSucceeded {
		return "", err
	}
	if result.Run.Phase == workflow.PhaseTerminated { // by one of its steps
		return r.undoByTracker(ctx, run)
	}
	return deletionCondition(run).Message, nil
}

func (r *Reconciler) saveDeletion(ctx context.Context, run *run, saved workflow.Run) error {
	run.takeIn(saved)
	written, err := r.checkpoint(ctx, run.component, statusOfDeletion(run, deletionCondition(run).Message))
	if err == nil && !written {
		return errSuperseded
	}
	return err
}

// deletionCondition says how far the delete event has come, and what to do where it goes no further.
func deletionCondition(run *run) metav1.Condition {
	made := run.workflowRun
	said := metav1.Condition{Type: condition.Workflow, Status: metav1.ConditionUnknown, Reason: condition.ReasonWorkflowRunning}
	detail := lowerFirst(strings.TrimSuffix(made.Message, "."))
	said.Message = fmt.Sprintf("In the workflow of the delete event, %s.", detail)
	switch {
	case made.Phase == workflow.PhaseFailed:
		said.Status, said.Reason = metav1.ConditionFalse, condition.ReasonWorkflowFailed
		said.Message = fmt.Sprintf("In the workflow of the delete event, %s; to try again, %s; to delete without its workflow, "+
			"run wheel workflow terminate component %s -n %s.", detail, howToRestart(run.component), run.component.Name, run.component.Namespace)
	case made.Suspended || made.Phase == workflow.PhaseSuspended:
		said.Reason = condition.ReasonWorkflowSuspended
	}
	return said
}

// deleteActions are what the built-in steps of a delete event stand for.
type deleteActions struct {
	reconciler *Reconciler
	run        *run
}

var _ workflow.Actions = deleteActions{}

// DispatchDelete removes what the tracker holds. It is done when all of that is gone.
func (a deleteActions) DispatchDelete(ctx context.Context) (workflow.Progress, error) {
	waits, err := a.reconciler.undoByTracker(ctx, a.run)
	return workflow.Progress{Done: err == nil && waits == "", Message: waits}, err
}

var errDeleting = &workflow.FailureError{Err: errors.New("nothing is applied in a delete event")}

// Dispatch is no part of this event, as all below.
func (a deleteActions) Dispatch(context.Context, map[string]any) (workflow.Progress, error) {
	return workflow.Progress{}, errDeleting
}

func (a deleteActions) Healthy(context.Context, []string) (workflow.Progress, error) {
	return workflow.Progress{}, errDeleting
}

func (a deleteActions) Outputs(context.Context) (map[string]any, error) { return nil, errDeleting }
