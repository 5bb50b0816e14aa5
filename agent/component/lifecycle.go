package component

import (
	"context"
	"encoding/json"
	"errors"

	"k8s.io/apimachinery/pkg/api/equality"
	ctrl "sigs.k8s.io/controller-runtime"

	"wheelwright.dev/wheelwright/agent/workflow"
	"wheelwright.dev/wheelwright/shared/condition"
)

// loadState takes up what earlier passes left of workflows.
func (r *Reconciler) loadState(ctx context.Context, run *run) *halt {
	status := run.component.Status
	state, err := decodeMap(raw(status.Workflow))
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "status.workflow is not the agent's own; it is begun anew")
	}
	run.state = state
	if status.WorkflowRun != nil {
		stored := &workflow.Run{}
		if err := json.Unmarshal(status.WorkflowRun.Raw, stored); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "status.workflowRun is not the agent's own; it is begun anew")
		} else {
			run.workflowRun = stored
		}
	}
	return nil
}

// diff finds the event that the Component is in, by comparing what it is to become with what was processed last.
func (r *Reconciler) diff(ctx context.Context, run *run) *halt {
	last := run.component.Status.Event
	if last != nil {
		r.actOnRequest(run, last.ID)
	}
	now := occasion{uid: run.owner.UID, generation: run.component.Generation, target: r.hasher.inputsOf(run)}
	if last != nil && !last.Completed && run.workflowRun != nil {
		now.ended = run.workflowRun.EventID == last.ID && run.workflowRun.Finished()
	}
	run.event = eventFor(last, now)
	if run.restarted && run.progress() != nil {
		run.event.Completed = false
	}
	scope, err := r.scopeOf(ctx, run)
	if err != nil {
		return stop(condition.Rendered, condition.ReasonUnresolved, "The context of the event is not known: %v", err).retrying(err)
	}
	run.scope = scope
	run.work.Context = run.work.Context.With(templateValues(run.event.Type, scope, run.state))
	return nil
}

// carryOut makes the Component what it is to be: through its workflow while an event runs, and by dispatch alone where there is
// no workflow, or no event. What was dispatched is kept as it is while later steps run.
func (r *Reconciler) carryOut(ctx context.Context, run *run) *halt {
	running := run.hasWorkflow && !run.event.Completed
	if !running || run.dispatched() {
		if halted := r.deploy(ctx, run); halted != nil {
			if running && !run.progress().Finished() {
				return halted.waiting()
			}
			return halted
		}
	}
	if running {
		return r.advance(ctx, run)
	}
	run.event.Completed = len(run.rendering.Pending()) == 0
	return nil
}

// deploy renders over context.workflow as it is now, and applies.
func (r *Reconciler) deploy(ctx context.Context, run *run) *halt {
	run.work.Context = run.work.Context.With(map[string]any{"workflow": run.state})
	for _, next := range []step{r.render, r.loadTracker, r.awaitDependencies, r.dispatch} {
		if halted := next(ctx, run); halted != nil {
			return halted
		}
	}
	return nil
}

// advance runs what can run now of the event's workflow.
func (r *Reconciler) advance(ctx context.Context, run *run) *halt {
	for _, next := range []step{r.prepare, r.begin, r.watchSteps} {
		if halted := next(ctx, run); halted != nil {
			return halted
		}
	}
	err := r.pass(ctx, run)
	if errors.Is(err, errSuperseded) {
		return &halt{superseded: true}
	}
	if halted := run.exceeded(condition.Workflow, err); halted != nil {
		return halted.waiting()
	}
	if err != nil {
		return stop(condition.Workflow, condition.ReasonWorkflowRunning, "The workflow cannot go on: %v", err).retrying(err).waiting()
	}
	if run.progress().Phase != workflow.PhaseSucceeded {
		return run.workflowHalt()
	}
	run.event.Completed = true
	// Steps after dispatch may set keys that the template reads; and dispatch itself may have been skipped.
	if rendered := run.work.Context.Values["workflow"]; run.rendering == nil || !equality.Semantic.DeepEqual(rendered, any(run.state)) {
		return r.deploy(ctx, run)
	}
	return nil
}

// prepare finds the final parameters, so that nothing is begun with such as do not fit.
func (r *Reconciler) prepare(ctx context.Context, run *run) *halt {
	begun := run.progress()
	if begun != nil && begun.Finished() {
		return nil
	}
	properties, err := r.evaluator.Prepare(ctx, run.work)
	if err == nil {
		run.scope.Parameters, err = decodeMap(properties)
	}
	if err == nil {
		return nil
	}
	halted := run.notRendered(err)
	if begun != nil {
		return halted.waiting() // it was fine when the event began
	}
	return halted
}

// begin writes a new event down before anything is done for it: what its steps make is found again by the event's id, and a
// revision that interrupts it must know of it.
func (r *Reconciler) begin(ctx context.Context, run *run) *halt {
	if run.progress() != nil {
		return nil
	}
	last := run.component.Status.Event
	if halted := r.checkDependencies(ctx, run); halted != nil {
		run.event = last.DeepCopy() // it waits for its beginning
		return halted
	}
	if last != nil && last.ID == run.event.ID {
		return nil
	}
	return r.save(ctx, run)
}

// watchSteps makes the Jobs of steps wake the Component.
func (r *Reconciler) watchSteps(ctx context.Context, run *run) *halt {
	if run.ledger == nil {
		if halted := r.loadTracker(ctx, run); halted != nil {
			return halted.waiting()
		}
	}
	if err := r.watcher.Use(ctx, run.name(), r.kinds(run)); err != nil {
		return stop(condition.Workflow, condition.ReasonWorkflowRunning, "What steps make cannot be watched: %v", err).retrying(err).waiting()
	}
	return nil
}

// save writes down how far a running workflow has come.
func (r *Reconciler) save(ctx context.Context, run *run) *halt {
	pending := *run
	pending.halt = run.workflowHalt()
	written, err := r.checkpoint(ctx, run.component, statusAfter(&pending))
	if err != nil {
		return stop(condition.Workflow, condition.ReasonWorkflowRunning, "How far the workflow is cannot be written down: %v", err).
			retrying(err).waiting()
	}
	if !written {
		return &halt{superseded: true}
	}
	return nil
}
