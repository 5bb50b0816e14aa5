package component

import (
	"testing"
	"time"

	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

func TestRequests(t *testing.T) {
	steps := []workflow.StepStatus{{Name: "a", Phase: workflow.StepSucceeded}, {Name: "b/c", Phase: workflow.StepRunning}}
	for name, tc := range map[string]struct {
		asked string
		run   workflow.Run
		// want is the phase that it leads to, or "" where it is refused.
		want      workflow.Phase
		restarted bool
	}{
		"suspend":                   {"suspend/1", workflow.Run{Phase: workflow.PhaseRunning}, workflow.PhaseSuspended, false},
		"resume":                    {"resume/1", workflow.Run{Phase: workflow.PhaseSuspended, Suspended: true}, workflow.PhaseRunning, false},
		"nothing to resume":         {"resume/1", workflow.Run{Phase: workflow.PhaseRunning}, "", false},
		"restart":                   {"restart/1", workflow.Run{Phase: workflow.PhaseFailed}, workflow.PhaseRunning, true},
		"restart from a step":       {"restart:b/c/1", workflow.Run{Phase: workflow.PhaseFailed, Steps: steps}, workflow.PhaseRunning, true},
		"restart from no step":      {"restart:d/1", workflow.Run{Phase: workflow.PhaseFailed, Steps: steps}, "", false},
		"terminate":                 {"terminate/1", workflow.Run{Phase: workflow.PhaseRunning}, workflow.PhaseTerminated, false},
		"terminate what failed":     {"terminate/1", workflow.Run{Phase: workflow.PhaseFailed}, "", false},
		"terminate failed deletion": {"terminate/1", workflow.Run{Phase: workflow.PhaseFailed, Event: workflow.Delete}, workflow.PhaseTerminated, false},
		"another word":              {"stop/1", workflow.Run{Phase: workflow.PhaseRunning}, "", false},
		"no id":                     {"suspend", workflow.Run{Phase: workflow.PhaseRunning}, "", false},
	} {
		tc.run.EventID = "event"
		pass := newRun(&corev1alpha1.Component{}, time.Now())
		pass.workflowRun = &tc.run
		err := pass.act(tc.asked, "event")
		if (err == nil) != (tc.want != "") || err == nil && pass.workflowRun.Phase != tc.want || pass.restarted != tc.restarted {
			t.Errorf("%s: got %v, phase %s, restarted %v", name, err, pass.workflowRun.Phase, pass.restarted)
		}
		if err := pass.act(tc.asked, "another"); err == nil {
			t.Errorf("%s: the workflow of another event is changed", name)
		}
	}
}
