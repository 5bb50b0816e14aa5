package component

import (
	"errors"
	"testing"
	"time"

	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// An API server that fails for a moment says nothing about what a workflow is in the midst of.
func TestPropertiesThatCannotBeReadAreNoVerdictInAWorkflow(t *testing.T) {
	for name, tc := range map[string]struct {
		made  *workflow.Run
		waits bool
	}{
		"no workflow": {nil, false},
		"running":     {&workflow.Run{Phase: workflow.PhaseRunning}, true},
		"suspended":   {&workflow.Run{Phase: workflow.PhaseSuspended}, true},
		"over":        {&workflow.Run{Phase: workflow.PhaseSucceeded}, false},
	} {
		t.Run(name, func(t *testing.T) {
			pass := newRun(&corev1alpha1.Component{}, time.Now())
			pass.workflowRun = tc.made
			halted := pass.unresolved("spec.properties", errors.New("the server is not there"))
			if halted.waits != tc.waits || halted.err == nil {
				t.Errorf("got waits=%v and error %v, want waits=%v and another try", halted.waits, halted.err, tc.waits)
			}
		})
	}
}
