package component

import (
	"context"
	"slices"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/health"
	"wheelwright.dev/wheelwright/agent/tracker"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// after adds what traits of the phase post add to a healthy Component. It stays when the Component is not healthy any more;
// it leaves with its trait. A failure does not make the Component unhealthy: what it is made of runs.
func (r *Reconciler) after(ctx context.Context, run *run) *halt {
	if !run.rendering.HasAfter() || !run.verdict.Healthy {
		return nil
	}
	outputs, err := run.rendering.After(ctx, health.AllLive(run.work.Context, run.judged))
	if err != nil {
		run.afterError = run.withoutSecrets(err)
		return nil
	}
	objects, unknown := r.resolveOutputs(ctx, run, outputs)
	wanted := withAfter(run.wanted, objects)
	if run.ledger, err = r.trackers.Record(ctx, run.owner, run.ledger, wanted); err != nil {
		run.afterError = err
		return nil
	}
	if err := r.watcher.Use(ctx, run.name(), r.kinds(run)); err != nil {
		run.afterError = err
		return nil
	}
	states, err := r.apply(ctx, run, objects, wanted)
	run.states = append(run.states, states...)
	if failures := joinFailures(err, unknown); len(failures) > 0 {
		run.afterError = run.withoutSecrets(failures)
		return nil
	}
	return r.collectGarbage(ctx, run, wanted.Resources)
}

// withAfter is what the tracker is to hold with the objects that traits add afterwards.
func withAfter(wanted tracker.Wanted, objects []apply.Object) tracker.Wanted {
	wanted.Resources = append(slices.Clone(wanted.Resources), trackedOf(objects, true)...)
	return wanted
}

// keptAfter is what was added to a Component while it was healthy, and is to stay though it is not known yet whether it is.
func keptAfter(run *run) []corev1alpha1.TrackedResource {
	if run.ledger == nil || !run.rendering.HasAfter() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(run.ledger.Resources), func(resource corev1alpha1.TrackedResource) bool {
		return !resource.After
	})
}
