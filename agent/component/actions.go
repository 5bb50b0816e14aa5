package component

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"wheelwright.dev/wheelwright/agent/health"
	"wheelwright.dev/wheelwright/agent/workflow"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/cue"
)

// lifecycleActions are what the built-in steps of a create or upgrade event stand for: parts of the pipeline.
type lifecycleActions struct {
	reconciler *Reconciler
	run        *run
}

var _ workflow.Actions = (*lifecycleActions)(nil)

// Dispatch renders and applies.
func (a *lifecycleActions) Dispatch(ctx context.Context, state map[string]any) (workflow.Progress, error) {
	a.run.state = state
	if a.run.resolved.HasSecrets() {
		a.run.state, _ = a.run.resolved.Values(runtime.DeepCopyJSON(state)).(map[string]any) // as later passes will find it
	}
	halted := a.reconciler.deploy(ctx, a.run)
	if halted == nil {
		halted = a.reconciler.awaitOutputs(ctx, a.run)
	}
	return a.run.progressOf(halted)
}

// progressOf is a halt of the pipeline as a step tells it. What trying again cannot mend ends the step: all that a rendering
// follows from stays the same for the whole event.
func (r *run) progressOf(halted *halt) (workflow.Progress, error) {
	switch {
	case halted == nil:
		return workflow.Progress{Done: true}, nil
	case halted.err != nil:
		return workflow.Progress{}, errors.New(halted.message)
	case halted.reason == condition.ReasonEvaluationExceeded, halted.at != condition.Rendered, halted.waits:
		return workflow.Progress{Message: halted.message, RecheckAfter: r.recheck}, nil
	}
	return workflow.Progress{}, &workflow.FailureError{Reason: workflow.ReasonRendering, Err: errors.New(halted.message)}
}

// DispatchDelete is no part of these events.
func (a *lifecycleActions) DispatchDelete(context.Context) (workflow.Progress, error) {
	return workflow.Progress{}, &workflow.FailureError{Err: errors.New("nothing is deleted in a create or upgrade event")}
}

// Healthy judges all objects as the pipeline does, and some of them by what is common to Kubernetes' kinds.
func (a *lifecycleActions) Healthy(ctx context.Context, names []string) (workflow.Progress, error) {
	objects := a.run.objects()
	var verdict health.Verdict
	var err error
	if len(names) == 0 {
		verdict, err = health.Judge(ctx, a.run.rendering, a.run.work.Context, objects)
	} else if objects, err = selected(objects, names); err == nil {
		verdict, err = health.JudgeSome(objects)
	}
	if halted := a.run.exceeded(condition.Healthy, err); halted != nil {
		return workflow.Progress{Message: halted.message, RecheckAfter: a.run.recheck}, nil
	}
	if fault := (*cue.Error)(nil); errors.As(err, &fault) {
		return workflow.Progress{}, &workflow.FailureError{Err: fmt.Errorf("health cannot be evaluated: %w", a.run.withoutSecrets(err))}
	}
	return workflow.Progress{Done: verdict.Healthy, Message: verdict.Message}, err
}

// selected are the objects of the outputs of those names.
func selected(objects []health.Object, names []string) ([]health.Object, error) {
	byName := map[string]health.Object{}
	for _, object := range objects {
		byName[object.Output.Name] = object
	}
	var found []health.Object
	for _, name := range names {
		object, ok := byName[name]
		if !ok {
			return nil, &workflow.FailureError{Reason: workflow.ReasonInput, Err: fmt.Errorf(
				"no output is called %q: the rendering has %q", name, slices.Sorted(maps.Keys(byName)))}
		}
		found = append(found, object)
	}
	return found, nil
}

// Outputs are copies, since what the watch shows must not be changed.
func (a *lifecycleActions) Outputs(context.Context) (map[string]any, error) {
	outputs := map[string]any{}
	for _, state := range a.run.states {
		if state.Live != nil {
			outputs[state.Output.Name] = runtime.DeepCopyJSON(state.Live.Object)
		}
	}
	return outputs, nil
}
