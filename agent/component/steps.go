package component

import (
	"context"
	"errors"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/health"
	agentrender "wheelwright.dev/wheelwright/agent/render"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/directive"
	"wheelwright.dev/wheelwright/shared/render"
)

// render checks the properties and evaluates the definitions. What ran before stays as it is when that fails.
func (r *Reconciler) render(_ context.Context, run *run) *halt {
	prepared, err := render.Prepare(render.Request{
		Type: run.component.Spec.Type, Component: run.definitions.component,
		Properties: run.resolved.Properties, Traits: run.definitions.traits,
		Context: agentrender.Context(run.component, r.cluster),
	})
	if err != nil {
		err = run.withoutSecrets(err)
		return stop(condition.Rendered, condition.ReasonInvalidProperties, "spec.properties do not fit %s: %v", run.component.Spec.Type, err).retrying(unlessDefinition(err))
	}
	rendering, err := agentrender.Render(prepared, run.component)
	if err != nil {
		err = run.withoutSecrets(err)
		return stop(condition.Rendered, condition.ReasonRenderFailed, "Rendering failed: %v", err).retrying(unlessDefinition(err))
	}
	run.rendering = rendering
	return nil
}

func (r *Reconciler) loadTracker(ctx context.Context, run *run) *halt {
	ledger, err := r.trackers.Load(ctx, run.owner)
	if err != nil {
		return stop(condition.Applied, condition.ReasonApplyFailed, "The record of what is applied cannot be read: %v", err).retrying(err)
	}
	run.ledger = ledger
	return nil
}

// judge evaluates health and, when healthy, exports.
func (r *Reconciler) judge(_ context.Context, run *run) *halt {
	for _, state := range run.states {
		judged := health.Object{Output: state.Output}
		if state.Settled {
			judged.Live = state.Live
		}
		run.judged = append(run.judged, judged)
	}
	verdict, err := health.Judge(run.rendering, agentrender.Context(run.component, r.cluster), run.judged)
	if err != nil {
		err = run.withoutSecrets(err)
		return stop(condition.Healthy, condition.ReasonHealthCheckFailed, "Health cannot be evaluated: %v", err).retrying(unlessDefinition(err))
	}
	run.verdict = withoutSecrets(verdict, run.resolved)
	return nil
}

// withoutSecrets is err without messages that might show what properties took from Secrets. It names its trait still.
func (r *run) withoutSecrets(err error) error {
	if !r.resolved.HasSecrets() {
		return err
	}
	if failures := (apply.Failures)(nil); errors.As(err, &failures) {
		return errors.New(r.resolved.Text(failures.Error()))
	}
	if ofTrait := (*render.Error)(nil); errors.As(err, &ofTrait) {
		return &render.Error{Trait: ofTrait.Trait, Err: r.resolved.Error(ofTrait.Err)}
	}
	return r.resolved.Error(err)
}

// withoutSecrets is verdict without values that properties took from Secrets.
func withoutSecrets(verdict health.Verdict, resolved *directive.Resolved) *health.Verdict {
	if resolved.HasSecrets() {
		verdict.Message = resolved.Text(verdict.Message)
		resolved.Values(verdict.Exports)
		verdict.ExportsError = resolved.Error(verdict.ExportsError)
	}
	return &verdict
}

// unlessDefinition is err, or nil when it is the fault of a definition or its input, which trying again does not mend.
func unlessDefinition(err error) error {
	if fault := (*cue.Error)(nil); errors.As(err, &fault) {
		return nil
	}
	return err
}
