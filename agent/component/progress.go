package component

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// defaultProgressDeadline is that of a Component that names none.
const defaultProgressDeadline = 10 * time.Minute

// pace is whether a Component comes any nearer to being Ready: which of Progressing and Stalled is True, and why.
type pace struct {
	// status is Progressing, Stalled, or "" when it is Ready.
	status          string
	reason, message string
	// since is when the time began that the deadline bounds, or zero.
	since time.Time
}

// pace follows from how a pass ended.
func (r *run) pace(ready metav1.Condition, exportsError error) pace {
	switch {
	case ready.Status == metav1.ConditionTrue:
		return pace{reason: condition.ReasonReady, message: ready.Message}
	case r.halt != nil && r.halt.waits:
		return pace{status: condition.Progressing, reason: condition.ReasonWaiting, message: ready.Message}
	case exportsError != nil, r.halt != nil && r.halt.err == nil && !mendsItself(r.halt.reason):
		return pace{status: condition.Stalled, reason: ready.Reason, message: ready.Message}
	}
	return onItsWay(r.component, ready.Message, r.now)
}

// mendsItself tells reasons that an event on the cluster may end from those that a person has to.
func mendsItself(reason string) bool {
	switch reason {
	case condition.ReasonProgressing, condition.ReasonRollingOut, condition.ReasonWaitingForOutput, condition.ReasonUnhealthy:
		return true
	}
	return false
}

// onItsWay is the pace of a Component that only needs time, as long as it has any left. The time begins with each generation, and
// anew after each wait for something that is not its own.
func onItsWay(component *corev1alpha1.Component, message string, now time.Time) pace {
	deadline := progressDeadline(component)
	since, late := now, false
	if last := conditionOf(component.Status, condition.Progressing); last.ObservedGeneration == component.Generation &&
		last.Status == metav1.ConditionTrue && last.Reason == condition.ReasonProgressing && !last.LastTransitionTime.After(now) {
		since = last.LastTransitionTime.Time
	}
	if last := conditionOf(component.Status, condition.Stalled); last.ObservedGeneration == component.Generation {
		late = last.Reason == condition.ReasonProgressDeadlineExceeded
	}
	if late || now.Sub(since) >= deadline {
		return pace{status: condition.Stalled, reason: condition.ReasonProgressDeadlineExceeded,
			message: fmt.Sprintf("Not ready within %s: %s", deadline, message)}
	}
	return pace{status: condition.Progressing, reason: condition.ReasonProgressing, message: message, since: since}
}

func progressDeadline(component *corev1alpha1.Component) time.Duration {
	if seconds := component.Spec.ProgressDeadlineSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return defaultProgressDeadline
}

// set makes Progressing and Stalled say p.
func (p pace) set(status *corev1alpha1.ComponentStatus, run *run) {
	for _, typ := range []string{condition.Progressing, condition.Stalled} {
		one := metav1.Condition{Type: typ, Status: metav1.ConditionTrue, Reason: p.reason, Message: p.message}
		if p.status != typ {
			one.Status, one.Message = metav1.ConditionFalse, p.otherwise()
		}
		setCondition(status, run, one)
		if typ == condition.Progressing && !p.since.IsZero() {
			meta.FindStatusCondition(status.Conditions, typ).LastTransitionTime = metav1.NewTime(p.since)
		}
	}
}

// otherwise is what the condition says that is not True.
func (p pace) otherwise() string {
	switch p.status {
	case condition.Progressing:
		return "It progresses."
	case condition.Stalled:
		return "It is stalled."
	}
	return "It is ready."
}

// untilDeadline is how long after now a Component with that status is late, or 0 when no time runs.
func untilDeadline(component *corev1alpha1.Component, status corev1alpha1.ComponentStatus, now time.Time) time.Duration {
	running := conditionOf(status, condition.Progressing)
	if running.Status != metav1.ConditionTrue || running.Reason != condition.ReasonProgressing {
		return 0
	}
	return max(running.LastTransitionTime.Add(progressDeadline(component)).Sub(now), time.Second)
}
