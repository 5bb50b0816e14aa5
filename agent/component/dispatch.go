package component

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/agent/tracker"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// dispatch makes the rendering live: record, apply, and then remove what is not rendered any more. Nothing is removed unless
// all of the rendering was applied.
func (r *Reconciler) dispatch(ctx context.Context, run *run) *halt {
	objects, unknown := r.resolveOutputs(ctx, run, run.rendering.Outputs)
	wanted := wantedOf(run, objects, len(unknown) == 0 && len(run.rendering.Pending()) == 0)

	record := wanted
	var err error
	if record.Resources, err = r.recovered(ctx, run, wanted.Resources); err != nil {
		return stop(condition.Applied, condition.ReasonApplyFailed, "What it owned before is not known: %v", err).retrying(err)
	}
	ledger, err := r.trackers.Record(ctx, run.owner, run.ledger, record)
	if err != nil {
		return stop(condition.Applied, condition.ReasonApplyFailed, "What is to be applied cannot be recorded: %v", err).retrying(err)
	}
	r.publish(run.component, damage(run))
	run.ledger = ledger
	if err := r.watcher.Use(ctx, run.name(), r.kinds(run)); err != nil {
		return stop(condition.Applied, condition.ReasonApplyFailed, "What is applied cannot be watched: %v", err).retrying(err)
	}
	states, err := r.apply(ctx, run, objects, wanted)
	if err := joinFailures(err, unknown); err != nil {
		return r.applyFailed(ctx, run, err)
	}
	run.states, run.wanted = states, wanted
	if len(run.rendering.Pending()) > 0 {
		return nil // an output that waits stays as it was applied
	}
	return r.collectGarbage(ctx, run, append(keptAfter(run), wanted.Resources...))
}

// wantedOf is what the tracker is to hold. Its hash stands for the whole rendering, so it is left out while the rendering has
// objects that cannot be named yet.
func wantedOf(run *run, objects []apply.Object, complete bool) tracker.Wanted {
	wanted := tracker.Wanted{Resources: trackedOf(objects, false)}
	if complete {
		wanted.Hash = run.rendering.Hash
	}
	return wanted
}

// refusedRecheck is how soon a change is tried again that the API server refuses for good: somebody may have deleted the
// object since.
const refusedRecheck = time.Minute

// takenRecheck is how soon a Component is looked for again whose name is taken by one that is not watched.
const takenRecheck = 30 * time.Second

// applyFailed tells failures that an event will end from those that have to be tried again.
func (r *Reconciler) applyFailed(ctx context.Context, run *run, failures apply.Failures) *halt {
	halted := stop(condition.Applied, condition.ReasonProgressing, "%v", failures)
	hint := ""
	for _, failure := range failures {
		var owned *apply.OwnedError
		var terminating *apply.TerminatingError
		var taken *apply.TakenError
		var missing *apply.MissingError
		var immutable *apply.ImmutableError
		var policy *apply.PolicyError
		switch {
		case errors.As(failure.Err, &owned):
			r.watcher.Await(ctx, run.name(), owned.Live)
			if halted.reason != condition.ReasonApplyFailed {
				halted.reason = condition.ReasonOwnedByAnother
			}
		case errors.As(failure.Err, &taken):
			run.recheckIn(takenRecheck)
			if halted.reason != condition.ReasonApplyFailed {
				halted.reason = condition.ReasonOwnedByAnother
			}
		case errors.As(failure.Err, &terminating):
			if terminating.Live != nil {
				r.watcher.Await(ctx, run.name(), terminating.Live) // it may not be the Component's yet
			}
		case errors.As(failure.Err, &missing):
		case errors.As(failure.Err, &policy):
			halted.reason = condition.ReasonApplyFailed
		case errors.As(failure.Err, &immutable):
			run.recheckIn(refusedRecheck)
			halted.reason = condition.ReasonApplyFailed
		default:
			halted.reason = condition.ReasonApplyFailed
			halted.err = run.withoutSecrets(failures)
			hint = cmp.Or(hint, run.forbidden(failure.Err))
		}
	}
	// API servers repeat the values that they refuse.
	halted.message = run.resolved.Text(strings.TrimSuffix(halted.message, ".")) + hint + "."
	return halted
}

// collectGarbage removes what an earlier rendering left.
func (r *Reconciler) collectGarbage(ctx context.Context, run *run, wanted []corev1alpha1.TrackedResource) *halt {
	leftover := run.ledger.Leftover(wanted)
	if len(leftover) == 0 {
		return nil
	}
	retainObserved(leftover, run.observed)
	removal, err := r.applier.As(run.actor.Client).Remove(ctx, run.owner, leftover)
	if err == nil {
		run.ledger, err = r.trackers.Drop(ctx, run.ledger, removal.Gone)
	}
	if err != nil {
		return stop(condition.Applied, condition.ReasonApplyFailed, "What is not rendered any more cannot be removed: %v", err).retrying(err)
	}
	if len(removal.Left) > 0 {
		return stop(condition.Applied, condition.ReasonProgressing, "Waiting for what is not rendered any more to be gone: %v", removal.Left)
	}
	return nil
}

// served tells whether the cluster knows a kind. Objects of one that it does not know any more are gone with it.
func (r *Reconciler) served(kind schema.GroupVersionKind) bool {
	_, err := r.spokeClient.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
	return err == nil
}

// jobKind is the kind that run-job steps wait for.
var jobKind = batchv1.SchemeGroupVersion.WithKind("Job")

// kinds are what wakes the Component: what it owns, and Jobs while its workflow runs.
func (r *Reconciler) kinds(run *run) []schema.GroupVersionKind {
	kinds := kindsOf(run.ledger, r.served)
	if run.hasWorkflow && (run.event == nil || !run.event.Completed) && !slices.Contains(kinds, jobKind) {
		kinds = append(kinds, jobKind)
	}
	return kinds
}

// kindsOf are the kinds in a tracker that can be watched.
func kindsOf(ledger *tracker.Ledger, served func(schema.GroupVersionKind) bool) []schema.GroupVersionKind {
	seen := map[schema.GroupVersionKind]bool{}
	var kinds []schema.GroupVersionKind
	if ledger == nil {
		return nil
	}
	for _, resource := range ledger.Resources {
		kind := object.KindOfTracked(resource)
		if !seen[kind] && served(kind) {
			kinds = append(kinds, kind)
		}
		seen[kind] = true
	}
	return kinds
}

func joinFailures(err error, unknown []apply.Failure) apply.Failures {
	var failures apply.Failures
	if !errors.As(err, &failures) && err != nil {
		failures = apply.Failures{{Err: err}}
	}
	return append(failures, unknown...)
}
