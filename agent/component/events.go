package component

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// maxNamed bounds the objects that one event names.
const maxNamed = 5

// notice is something that a person would want to know of a Component.
type notice struct {
	kind, reason, message string
}

// eventsBetween are what changed from one status to the next: each condition that failed in a new way, and health when it
// came or went. A status that says the same again makes none.
func eventsBetween(before, after corev1alpha1.ComponentStatus) []notice {
	var events []notice
	for _, stage := range []string{condition.Workflow, condition.Rendered, condition.Applied} {
		old, now := conditionOf(before, stage), conditionOf(after, stage)
		failed := now.Status == metav1.ConditionFalse && isFailure(now.Reason)
		if failed && (old.Reason != now.Reason || old.Message != now.Message) {
			return append(events, notice{corev1.EventTypeWarning, now.Reason, now.Message})
		}
	}
	events = append(events, workflowEvents(conditionOf(before, condition.Workflow), conditionOf(after, condition.Workflow))...)
	late := conditionOf(after, condition.Stalled)
	if late.Reason == condition.ReasonProgressDeadlineExceeded && conditionOf(before, condition.Stalled).Reason != late.Reason {
		events = append(events, notice{corev1.EventTypeWarning, late.Reason, late.Message})
	}
	old, now := conditionOf(before, condition.Healthy), conditionOf(after, condition.Healthy)
	switch {
	case now.Status == metav1.ConditionTrue && old.Status != metav1.ConditionTrue:
		events = append(events, notice{corev1.EventTypeNormal, condition.ReasonHealthy, now.Message})
	case now.Reason == condition.ReasonHealthCheckFailed && old.Message != now.Message:
		events = append(events, notice{corev1.EventTypeWarning, now.Reason, now.Message})
	case now.Reason == condition.ReasonUnhealthy && old.Status == metav1.ConditionTrue:
		events = append(events, notice{corev1.EventTypeWarning, condition.ReasonUnhealthy, now.Message})
	}
	return events
}

// workflowEvents tell that a workflow has come to its end, or waits for somebody. The first status of a Component whose definition
// has a workflow and no event makes none.
func workflowEvents(before, after metav1.Condition) []notice {
	switch {
	case after.Reason == before.Reason, before.Reason == "":
	case after.Reason == condition.ReasonWorkflowSucceeded, after.Reason == condition.ReasonWorkflowSuspended:
		return []notice{{corev1.EventTypeNormal, after.Reason, after.Message}}
	}
	return nil
}

// isFailure tells failures from what is only on its way.
func isFailure(reason string) bool {
	switch reason {
	case condition.ReasonProgressing, condition.ReasonWaitingForDependency, condition.ReasonWaitingForOutput, condition.ReasonDeleting,
		condition.ReasonWorkflowRunning, condition.ReasonWorkflowSuspended:
		return false
	}
	return true
}

// appliedEvent names the objects that were changed on the cluster.
func appliedEvent(states []apply.State) []notice {
	var names []string
	for _, state := range states {
		if state.Written {
			names = append(names, object.KeyOf(state.Live).String())
		}
	}
	if len(names) == 0 {
		return nil
	}
	if more := len(names) - maxNamed; more > 0 {
		names = append(names[:maxNamed], fmt.Sprintf("%d more", more))
	}
	return []notice{{corev1.EventTypeNormal, condition.ReasonApplied, "Applied " + strings.Join(names, ", ") + "."}}
}

// warnings are what the author of a spec that is new should know though it is no error.
func warnings(run *run) []notice {
	if run.rendering == nil || run.component.Status.ObservedGeneration == run.component.Generation {
		return nil
	}
	var events []notice
	for _, warning := range run.rendering.Warnings() {
		events = append(events, notice{corev1.EventTypeWarning, condition.ReasonUnusedParameter, run.resolved.Text(warning)})
	}
	return events
}

// damage tells of a tracker that was found damaged, which now is as what is rendered needs it.
func damage(run *run) []notice {
	if run.ledger == nil || run.ledger.Damage() == nil {
		return nil
	}
	message := fmt.Sprintf("A ResourceTracker was damaged and is written anew with what was found. What is of a kind that no Component has "+
		"any more may be left: look for objects with the label %s=%s; %v.", corev1alpha1.ComponentUIDLabel, run.owner.UID, run.ledger.Damage())
	return []notice{{corev1.EventTypeWarning, condition.ReasonTrackerRebuilt, condition.Message(message)}}
}

func (r *Reconciler) publish(component *corev1alpha1.Component, events []notice) {
	for _, one := range events {
		r.recorder.Event(component, one.kind, one.reason, one.message)
	}
}

func conditionOf(status corev1alpha1.ComponentStatus, typ string) metav1.Condition {
	if found := meta.FindStatusCondition(status.Conditions, typ); found != nil {
		return *found
	}
	return metav1.Condition{Type: typ}
}
