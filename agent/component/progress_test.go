package component

import (
	"errors"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

func TestPace(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	rolling := stop(condition.Healthy, condition.ReasonRollingOut, "1 of 3")
	progressing := func(generation int64, reason string, since time.Duration) []metav1.Condition {
		return []metav1.Condition{
			{Type: condition.Progressing, Status: metav1.ConditionTrue, Reason: reason, ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(now.Add(since))},
			{Type: condition.Stalled, Status: metav1.ConditionFalse, Reason: reason, ObservedGeneration: generation},
		}
	}
	late := []metav1.Condition{
		{Type: condition.Progressing, Status: metav1.ConditionFalse, Reason: condition.ReasonProgressDeadlineExceeded, ObservedGeneration: 2, LastTransitionTime: metav1.NewTime(now)},
		{Type: condition.Stalled, Status: metav1.ConditionTrue, Reason: condition.ReasonProgressDeadlineExceeded, ObservedGeneration: 2, LastTransitionTime: metav1.NewTime(now)},
	}
	for name, tc := range map[string]struct {
		before         []metav1.Condition
		halt           *halt
		ready          bool
		status, reason string
		// left is what is left of a minute.
		left time.Duration
	}{
		"ready":                     {ready: true, reason: condition.ReasonReady},
		"begins":                    {halt: rolling, status: condition.Progressing, reason: condition.ReasonProgressing, left: time.Minute},
		"goes on":                   {before: progressing(2, condition.ReasonProgressing, -20*time.Second), halt: rolling, status: condition.Progressing, reason: condition.ReasonProgressing, left: 40 * time.Second},
		"is late":                   {before: progressing(2, condition.ReasonProgressing, -time.Minute), halt: rolling, status: condition.Stalled, reason: condition.ReasonProgressDeadlineExceeded},
		"stays late":                {before: late, halt: rolling, status: condition.Stalled, reason: condition.ReasonProgressDeadlineExceeded},
		"late and ready after all":  {before: late, ready: true, reason: condition.ReasonReady},
		"a new generation has time": {before: progressing(1, condition.ReasonProgressing, -time.Hour), halt: rolling, status: condition.Progressing, reason: condition.ReasonProgressing, left: time.Minute},
		"after a wait":              {before: progressing(2, condition.ReasonWaiting, -time.Hour), halt: rolling, status: condition.Progressing, reason: condition.ReasonProgressing, left: time.Minute},
		"the clock went back":       {before: progressing(2, condition.ReasonProgressing, time.Hour), halt: rolling, status: condition.Progressing, reason: condition.ReasonProgressing, left: time.Minute},
		"waits for another": {before: progressing(2, condition.ReasonProgressing, -time.Hour), halt: stop(condition.Applied, condition.ReasonWaitingForDependency, "x").waiting(),
			status: condition.Progressing, reason: condition.ReasonWaiting},
		"needs a person": {halt: stop(condition.Rendered, condition.ReasonInvalidProperties, "x"), status: condition.Stalled, reason: condition.ReasonInvalidProperties},
		"is tried again": {halt: stop(condition.Applied, condition.ReasonApplyFailed, "x").retrying(errors.New("x")), status: condition.Progressing, reason: condition.ReasonProgressing, left: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			component := &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Generation: 2}}
			component.Spec.ProgressDeadlineSeconds = ptr.To[int32](60)
			component.Status.Conditions = slices.Clone(tc.before)
			pass := newRun(component, now)
			pass.halt = tc.halt
			sum := metav1.Condition{Type: condition.Ready, Status: metav1.ConditionFalse, Reason: "Any", Message: "Any."}
			switch {
			case tc.ready:
				sum.Status = metav1.ConditionTrue
			case tc.halt != nil:
				sum.Reason = tc.halt.reason
			}
			got := pass.pace(sum, nil)
			if got.status != tc.status || got.reason != tc.reason {
				t.Errorf("got %q with reason %s, want %q with %s", got.status, got.reason, tc.status, tc.reason)
			}
			status := corev1alpha1.ComponentStatus{Conditions: slices.Clone(tc.before)}
			got.set(&status, pass)
			if left := untilDeadline(component, status, now); left != tc.left {
				t.Errorf("%s is left, want %s", left, tc.left)
			}
		})
	}
}
