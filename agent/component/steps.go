package component

import (
	"context"
	"errors"
	"strings"
	"time"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/health"
	"wheelwright.dev/wheelwright/agent/object"
	agentrender "wheelwright.dev/wheelwright/agent/render"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/directive"
	"wheelwright.dev/wheelwright/shared/evaluate"
	"wheelwright.dev/wheelwright/shared/render"
	"wheelwright.dev/wheelwright/shared/worker"
)

// render checks the properties and evaluates the definitions. What ran before stays as it is when that fails.
func (r *Reconciler) render(ctx context.Context, run *run) *halt {
	rendering, err := agentrender.Render(ctx, r.evaluator, run.work, run.component, r.liveOf(run))
	if err != nil {
		return run.notRendered(err)
	}
	run.rendering = rendering
	return nil
}

// notRendered says whose fault it is that there is no rendering: the definition's, or that of what it was given.
func (r *run) notRendered(err error) *halt {
	if broken := (*evaluate.DefinitionError)(nil); errors.As(err, &broken) {
		return stop(condition.Rendered, condition.ReasonDefinitionInvalid, "%v", err)
	}
	if halted := r.exceeded(condition.Rendered, err); halted != nil {
		return halted
	}
	if given := (*evaluate.PropertiesError)(nil); errors.As(err, &given) {
		err = r.withoutSecrets(given.Err)
		return stop(condition.Rendered, condition.ReasonInvalidProperties, "spec.properties do not fit %s: %v", r.component.Spec.Type, err).retrying(unlessDefinition(err))
	}
	if refused := (*agentrender.CompositionError)(nil); errors.As(err, &refused) {
		return stop(condition.Rendered, condition.ReasonCompositionRefused, "%v", refused)
	}
	err = r.withoutSecrets(err)
	return stop(condition.Rendered, condition.ReasonRenderFailed, "Rendering failed: %v", err).retrying(unlessDefinition(err))
}

// How soon an evaluation that took too much is tried again. It is most likely to take as much again, but it may have been
// the machine; one that only waits for others gets its turn sooner.
const (
	exceededRecheck = 5 * time.Minute
	busyRecheck     = 10 * time.Second
)

// exceeded ends the pipeline at a condition where an evaluation took too much, or waits for others that take long.
func (r *run) exceeded(at string, err error) *halt {
	limit := (*evaluate.LimitError)(nil)
	switch {
	case errors.As(err, &limit):
		r.recheckIn(exceededRecheck)
	case errors.Is(err, worker.ErrBusy):
		r.recheckIn(busyRecheck)
	default:
		return nil
	}
	text := err.Error()
	return stop(at, condition.ReasonEvaluationExceeded, "%s", strings.ToUpper(text[:1])+text[1:])
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
func (r *Reconciler) judge(ctx context.Context, run *run) *halt {
	run.judged = run.objects()
	for _, judged := range run.judged {
		if run.rendering.Outdated(judged.Output.Name, judged.Live) {
			return stop(condition.Healthy, condition.ReasonRollingOut, "%s is newer than what other outputs were rendered with", object.KeyOf(judged.Live))
		}
	}
	verdict, err := health.Judge(ctx, run.rendering, run.work.Context, run.judged)
	if halted := run.exceeded(condition.Healthy, err); halted != nil {
		return halted
	}
	if err != nil {
		err = run.withoutSecrets(err)
		return stop(condition.Healthy, condition.ReasonHealthCheckFailed, "Health cannot be evaluated: %v", err).retrying(unlessDefinition(err))
	}
	run.verdict = withoutSecrets(verdict, run.resolved)
	return nil
}

// objects are what was applied, as it is to be judged.
func (r *run) objects() []health.Object {
	objects := make([]health.Object, 0, len(r.states))
	for _, state := range r.states {
		if state.Absent {
			continue
		}
		judged := health.Object{Output: state.Output}
		if state.Settled {
			judged.Live = state.Live
		}
		objects = append(objects, judged)
	}
	return objects
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
