package component

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/health"
	"wheelwright.dev/wheelwright/agent/render"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/cue"
)

// passedRun is a run that passed every stage.
func passedRun(revision string, verdict health.Verdict) *run {
	component := &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", Generation: 7}}
	component.Spec.Revision = revision
	return &run{
		component: component,
		rendering: &render.Rendering{Outputs: []cue.Output{{Name: "config"}}},
		states:    []apply.State{{}},
		verdict:   &verdict,
	}
}

func halted(revision string, h *halt) *run {
	stopped := passedRun(revision, health.Verdict{})
	stopped.halt, stopped.verdict = h, nil
	return stopped
}

var healthy = health.Verdict{Healthy: true, Reason: condition.ReasonHealthy, Message: "Fine.", Exports: map[string]any{"port": int64(80)}}

func TestStatusAfter(t *testing.T) {
	broken := healthy
	broken.ExportsError = errors.New("exports.a: conflict")
	cases := map[string]struct {
		run *run
		// want is "<health entry> <isHealthy> Rendered Applied Healthy Ready", each condition as status/reason.
		want string
	}{
		"healthy":        {passedRun("r1", healthy), "r1=true true True/Rendered True/Applied True/Healthy True/Ready"},
		"standalone":     {passedRun("", healthy), "none true True/Rendered True/Applied True/Healthy True/Ready"},
		"broken exports": {passedRun("r1", broken), "r1=true true True/Rendered True/Applied True/Healthy False/ExportsFailed"},
		"rolling out": {passedRun("r1", health.Verdict{Reason: condition.ReasonRollingOut, Message: "Wait."}),
			"r1=false false True/Rendered True/Applied False/RollingOut False/RollingOut"},
		"unhealthy": {passedRun("r1", health.Verdict{Reason: condition.ReasonUnhealthy, Message: "No."}),
			"r1=false false True/Rendered True/Applied False/Unhealthy False/Unhealthy"},
		"render failed": {halted("r1", stop(condition.Rendered, condition.ReasonRenderFailed, "No")),
			"r1=false false False/RenderFailed False/RenderFailed False/RenderFailed False/RenderFailed"},
		"apply failed": {halted("r1", stop(condition.Applied, condition.ReasonApplyFailed, "No")),
			"r1=false false True/Rendered False/ApplyFailed False/ApplyFailed False/ApplyFailed"},
		"health check failed": {halted("r1", stop(condition.Healthy, condition.ReasonHealthCheckFailed, "No")),
			"r1=false false True/Rendered True/Applied False/HealthCheckFailed False/HealthCheckFailed"},
		"waiting": {halted("", stop(condition.Applied, condition.ReasonWaitingForDependency, "Wait").waiting()),
			"none nil True/Rendered False/WaitingForDependency Unknown/WaitingForDependency False/WaitingForDependency"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			status := statusAfter(tc.run)
			if diff := cmp.Diff(tc.want, describeStatus(status)); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			for _, one := range status.Conditions {
				if one.ObservedGeneration != 7 || !strings.HasSuffix(one.Message, ".") {
					t.Errorf("condition %s is of generation %d and says %q", one.Type, one.ObservedGeneration, one.Message)
				}
			}
		})
	}
}

func describeStatus(status corev1alpha1.ComponentStatus) string {
	words := []string{"none", "nil"}
	for _, entry := range status.Health {
		words[0] = entry.Revision + "=" + map[bool]string{true: "true", false: "false"}[entry.IsHealthy]
	}
	if status.IsHealthy != nil {
		words[1] = map[bool]string{true: "true", false: "false"}[*status.IsHealthy]
	}
	for _, typ := range []string{condition.Rendered, condition.Applied, condition.Healthy, condition.Ready} {
		one := conditionOf(status, typ)
		words = append(words, string(one.Status)+"/"+one.Reason)
	}
	return strings.Join(words, " ")
}

func TestStatusIsStable(t *testing.T) {
	first := passedRun("r1", healthy)
	status := statusAfter(first)
	again := passedRun("r1", healthy)
	again.component.Status = status
	// The API server may give exports back in other bytes.
	again.component.Status.Exports = &runtime.RawExtension{Raw: []byte(`{ "port": 80 }`)}
	if diff := cmp.Diff(again.component.Status, statusAfter(again)); diff != "" {
		t.Errorf("the status changed, though nothing did (-before +after):\n%s", diff)
	}
}

func TestExportsGoWithHealth(t *testing.T) {
	before := passedRun("r1", healthy)
	after := passedRun("r1", health.Verdict{Reason: condition.ReasonUnhealthy, Message: "No."})
	after.component.Status = statusAfter(before)
	if got := statusAfter(after).Exports; got != nil {
		t.Errorf("exports are kept without health: %s", got.Raw)
	}
}

func TestLongMessagesAreCut(t *testing.T) {
	status := statusAfter(halted("r1", stop(condition.Rendered, condition.ReasonRenderFailed, "%s", strings.Repeat("ä", 40_000))))
	if got := len(conditionOf(status, condition.Rendered).Message); got > condition.MaxMessage+len("…") {
		t.Errorf("the message has %d bytes", got)
	}
}

// saying is a status with one condition.
func saying(typ string, status metav1.ConditionStatus, reason string) corev1alpha1.ComponentStatus {
	return corev1alpha1.ComponentStatus{Conditions: []metav1.Condition{{Type: typ, Status: status, Reason: reason, Message: "Any."}}}
}

func TestEventsBetween(t *testing.T) {
	running := saying(condition.Workflow, metav1.ConditionUnknown, condition.ReasonWorkflowRunning)
	held := saying(condition.Workflow, metav1.ConditionUnknown, condition.ReasonWorkflowSuspended)
	done := saying(condition.Workflow, metav1.ConditionTrue, condition.ReasonWorkflowSucceeded)
	late := saying(condition.Stalled, metav1.ConditionTrue, condition.ReasonProgressDeadlineExceeded)
	never := corev1alpha1.ComponentStatus{}
	fine := statusAfter(passedRun("r1", healthy))
	rolling := statusAfter(passedRun("r2", health.Verdict{Reason: condition.ReasonRollingOut, Message: "Wait."}))
	sick := statusAfter(passedRun("r1", health.Verdict{Reason: condition.ReasonUnhealthy, Message: "No."}))
	failed := statusAfter(halted("r1", stop(condition.Rendered, condition.ReasonRenderFailed, "No")))
	other := statusAfter(halted("r1", stop(condition.Rendered, condition.ReasonRenderFailed, "Neither")))
	waiting := statusAfter(halted("", stop(condition.Applied, condition.ReasonWaitingForDependency, "Wait").waiting()))
	cases := map[string]struct {
		before, after corev1alpha1.ComponentStatus
		want          []string
	}{
		"became healthy":          {rolling, fine, []string{condition.ReasonHealthy}},
		"healthy at once":         {never, fine, []string{condition.ReasonHealthy}},
		"still healthy":           {fine, fine, nil},
		"became unhealthy":        {fine, sick, []string{condition.ReasonUnhealthy}},
		"still unhealthy":         {sick, sick, nil},
		"unhealthy after rollout": {rolling, sick, nil},
		"rolling out":             {fine, rolling, nil},
		"failed to render":        {fine, failed, []string{condition.ReasonRenderFailed}},
		"fails in the same way":   {failed, failed, nil},
		"fails in another way":    {failed, other, []string{condition.ReasonRenderFailed}},
		"waits":                   {never, waiting, nil},
		"workflow runs":           {never, running, nil},
		"workflow is held":        {running, held, []string{condition.ReasonWorkflowSuspended}},
		"workflow goes on":        {held, running, nil},
		"workflow has succeeded":  {running, done, []string{condition.ReasonWorkflowSucceeded}},
		"no workflow was to run":  {never, done, nil},
		"is late":                 {rolling, late, []string{condition.ReasonProgressDeadlineExceeded}},
		"is late still":           {late, late, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, one := range eventsBetween(tc.before, tc.after) {
				got = append(got, one.reason)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}
