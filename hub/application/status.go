package application

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// maxOffenders is how many pairs a status names; its counts hold the whole number.
const maxOffenders = 50

// outcome is what one reconcile found, from which the status is made.
type outcome struct {
	// rejected is set when the spec was not accepted; what was delivered before stays as it is.
	rejected *problem
	// misplaced is set when the placement cannot be followed as written.
	misplaced *problem
	locks     locks
	clusters  int
	pairs     []pair
	owed      int
	deadline  time.Time
}

// nextStatus is the status that follows from the outcome. It is a pure function of its arguments, but for the transition
// times of conditions.
func nextStatus(app *corev1alpha1.Application, found outcome) corev1alpha1.ApplicationStatus {
	next := *app.Status.DeepCopy()
	next.ObservedGeneration = app.Generation
	if found.rejected != nil {
		reject(&next, app.Generation, *found.rejected)
		return next
	}
	next.AcceptedGeneration = app.Generation
	next.DefinitionLocks, next.TraitLocks = found.locks.components, found.locks.traits
	next.Counts = count(found)
	next.Offenders = offenders(found.pairs)
	set := setter(&next, app.Generation)
	set(condition.Accepted, metav1.ConditionTrue, condition.ReasonAccepted, "the spec is valid")
	if found.misplaced != nil {
		set(condition.Placed, metav1.ConditionFalse, found.misplaced.reason, found.misplaced.message)
	} else {
		set(condition.Placed, metav1.ConditionTrue, condition.ReasonPlaced, fmt.Sprintf("%d clusters selected", found.clusters))
	}
	setDispatched(set, next.Counts, found.pairs)
	setReady(set, found, next)
	return next
}

type setCondition func(typ string, status metav1.ConditionStatus, reason, message string)

func setter(status *corev1alpha1.ApplicationStatus, generation int64) setCondition {
	return func(typ string, value metav1.ConditionStatus, reason, message string) {
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{
			Type: typ, Status: value, Reason: reason, Message: condition.Message(message), ObservedGeneration: generation,
		})
	}
}

// reject says why the spec is refused. Counts and offenders go on telling of what was delivered before.
func reject(status *corev1alpha1.ApplicationStatus, generation int64, wrong problem) {
	set := setter(status, generation)
	message := wrong.message
	if status.AcceptedGeneration > 0 {
		message += "; what was delivered before stays as it is"
	}
	set(condition.Accepted, metav1.ConditionFalse, wrong.reason, message)
	set(condition.Ready, metav1.ConditionFalse, wrong.reason, message)
}

func count(found outcome) corev1alpha1.ApplicationCounts {
	counts := corev1alpha1.ApplicationCounts{
		Clusters: int32(found.clusters), Desired: int32(len(found.pairs)), Owed: int32(found.owed),
	}
	for _, p := range found.pairs {
		if dispatched(p.reading) {
			counts.Dispatched++
		}
		switch p.reading.State {
		case dispatch.Healthy:
			counts.Healthy++
		case dispatch.Unhealthy:
			counts.Unhealthy++
		case dispatch.Unknown:
			counts.Unknown++
		}
	}
	return counts
}

// dispatched: the pair's work carries the wanted content.
func dispatched(reading dispatch.Reading) bool {
	switch reading.Reason {
	case dispatch.ReasonNotDispatched, dispatch.ReasonTerminating, condition.ReasonClaimed,
		condition.ReasonWaitingForDependency, condition.ReasonDispatchFailed:
		return false
	}
	return true
}

// offenders names what is not healthy, what is wrong before what is merely on its way, in a stable order.
func offenders(pairs []pair) []corev1alpha1.ComponentReading {
	var bad []pair
	for _, p := range pairs {
		if p.reading.State != dispatch.Healthy {
			bad = append(bad, p)
		}
	}
	slices.SortStableFunc(bad, func(a, b pair) int {
		return cmp.Or(cmp.Compare(gravity(a.reading), gravity(b.reading)),
			cmp.Compare(a.cluster, b.cluster), cmp.Compare(a.component, b.component))
	})
	var named []corev1alpha1.ComponentReading
	for _, p := range bad[:min(len(bad), maxOffenders)] {
		named = append(named, corev1alpha1.ComponentReading{
			Component: p.component, Cluster: p.cluster, State: string(p.reading.State),
			Reason: p.reading.Reason, Message: p.reading.Message, Revision: p.reading.Revision,
		})
	}
	return named
}

func gravity(reading dispatch.Reading) int {
	switch reading.Reason {
	case condition.ReasonClaimed:
		return 0
	case dispatch.ReasonDeadlineExceeded, dispatch.ReasonApplyFailed, condition.ReasonDispatchFailed:
		return 1
	case dispatch.ReasonClusterUnavailable, dispatch.ReasonNotAvailable, dispatch.ReasonFeedbackFailed, dispatch.ReasonFeedbackType:
		return 2
	case condition.ReasonWaitingForDependency:
		return 4
	}
	return 3
}

func setDispatched(set setCondition, counts corev1alpha1.ApplicationCounts, pairs []pair) {
	if counts.Dispatched == counts.Desired {
		set(condition.Dispatched, metav1.ConditionTrue, condition.ReasonDispatched,
			fmt.Sprintf("%d of %d works carry this generation", counts.Dispatched, counts.Desired))
		return
	}
	reason := condition.ReasonWaitingForDependency
	for _, p := range pairs {
		if p.reading.Reason == condition.ReasonClaimed {
			reason = condition.ReasonClaimed
		}
	}
	set(condition.Dispatched, metav1.ConditionFalse, reason,
		fmt.Sprintf("%d of %d works carry this generation", counts.Dispatched, counts.Desired))
}

// setReady sums everything up, the worst first.
func setReady(set setCondition, found outcome, next corev1alpha1.ApplicationStatus) {
	counts := next.Counts
	if found.misplaced != nil {
		set(condition.Ready, metav1.ConditionFalse, found.misplaced.reason, found.misplaced.message)
		return
	}
	if counts.Healthy == counts.Desired {
		set(condition.Ready, metav1.ConditionTrue, condition.ReasonReady,
			fmt.Sprintf("all %d components are healthy on %d clusters", counts.Desired, counts.Clusters))
		return
	}
	first := next.Offenders[0]
	message := fmt.Sprintf("%d of %d healthy; %s on %s: %s", counts.Healthy, counts.Desired, first.Component, first.Cluster, first.Message)
	switch first.Reason {
	case condition.ReasonClaimed, condition.ReasonDispatchFailed, dispatch.ReasonDeadlineExceeded, dispatch.ReasonApplyFailed:
		set(condition.Ready, metav1.ConditionFalse, first.Reason, message)
	case dispatch.ReasonClusterUnavailable, dispatch.ReasonNotAvailable, dispatch.ReasonFeedbackFailed, dispatch.ReasonFeedbackType:
		set(condition.Ready, metav1.ConditionUnknown, first.Reason, message)
	default:
		set(condition.Ready, metav1.ConditionFalse, condition.ReasonProgressing, message)
	}
}

// nextDeadline is when the first progressing pair becomes a failed one; zero when none is.
func nextDeadline(pairs []pair) time.Time {
	var next time.Time
	for _, p := range pairs {
		if d := p.reading.Deadline; !d.IsZero() && (next.IsZero() || d.Before(next)) {
			next = d
		}
	}
	return next
}
