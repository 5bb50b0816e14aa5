package component

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/agent/health"
	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// inEvent is a run of a definition that has a workflow, which has come to phase, with its dispatch step behind it or not.
func inEvent(phase workflow.Phase, dispatched bool) *run {
	made := passedRun("r1", healthy)
	made.hasWorkflow = true
	made.event = &corev1alpha1.LifecycleEvent{ID: "e1", Type: corev1alpha1.EventCreate, Completed: phase == workflow.PhaseSucceeded}
	made.workflowRun = &workflow.Run{EventID: "e1", Event: workflow.Create, Phase: phase, Message: "Step a: waits"}
	if dispatched {
		made.workflowRun.Steps = []workflow.StepStatus{{Type: workflow.TypeDispatch, Phase: workflow.StepSucceeded}}
	} else {
		made.rendering, made.states = nil, nil
	}
	if phase != workflow.PhaseSucceeded {
		made.halt, made.verdict = made.workflowHalt(), nil
	}
	return made
}

func TestStatusInAnEvent(t *testing.T) {
	begins := inEvent(workflow.PhaseRunning, false)
	begins.workflowRun = nil
	begins.halt = begins.workflowHalt()
	repairs := inEvent(workflow.PhaseFailed, true)
	repairs.halt = stop(condition.Applied, condition.ReasonApplyFailed, "No")
	unresolved := inEvent(workflow.PhaseRunning, true)
	unresolved.event = nil
	unresolved.component.Status = statusAfter(inEvent(workflow.PhaseRunning, true))
	unresolved.halt = stop(condition.Rendered, condition.ReasonUnresolved, "No").waiting()
	for name, tc := range map[string]struct {
		run *run
		// want is what describeStatus says, and behind a bar condition Workflow.
		want string
	}{
		"begins": {begins, "none nil Unknown/WorkflowRunning Unknown/WorkflowRunning Unknown/WorkflowRunning False/WorkflowRunning | Unknown/WorkflowRunning"},
		"before dispatch": {inEvent(workflow.PhaseRunning, false),
			"none nil Unknown/WorkflowRunning Unknown/WorkflowRunning Unknown/WorkflowRunning False/WorkflowRunning | Unknown/WorkflowRunning"},
		"behind dispatch": {inEvent(workflow.PhaseRunning, true),
			"none nil True/Rendered True/Applied Unknown/WorkflowRunning False/WorkflowRunning | Unknown/WorkflowRunning"},
		"suspended": {inEvent(workflow.PhaseSuspended, true),
			"none nil True/Rendered True/Applied Unknown/WorkflowSuspended False/WorkflowSuspended | Unknown/WorkflowSuspended"},
		"failed before dispatch": {inEvent(workflow.PhaseFailed, false),
			"r1=false false False/WorkflowFailed False/WorkflowFailed False/WorkflowFailed False/WorkflowFailed | False/WorkflowFailed"},
		"failed behind dispatch": {inEvent(workflow.PhaseFailed, true),
			"r1=false false True/Rendered True/Applied False/WorkflowFailed False/WorkflowFailed | False/WorkflowFailed"},
		"terminated": {inEvent(workflow.PhaseTerminated, true),
			"r1=false false True/Rendered True/Applied False/WorkflowTerminated False/WorkflowTerminated | False/WorkflowTerminated"},
		"failed, and drifts": {repairs,
			"r1=false false True/Rendered False/ApplyFailed False/ApplyFailed False/WorkflowFailed | False/WorkflowFailed"},
		"waits for a source": {unresolved,
			"none nil False/Unresolved Unknown/Unresolved Unknown/Unresolved False/Unresolved | Unknown/Unresolved"},
		"succeeded": {inEvent(workflow.PhaseSucceeded, true), "r1=true true True/Rendered True/Applied True/Healthy True/Ready | True/WorkflowSucceeded"},
	} {
		status := statusAfter(tc.run)
		said := conditionOf(status, condition.Workflow)
		if diff := cmp.Diff(tc.want, describeStatus(status)+" | "+string(said.Status)+"/"+said.Reason); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if said.ObservedGeneration != 7 || !strings.HasSuffix(said.Message, ".") || strings.HasSuffix(said.Message, "..") {
			t.Errorf("%s: the condition is of generation %d and says %q", name, said.ObservedGeneration, said.Message)
		}
		again := *tc.run
		component := tc.run.component.DeepCopy()
		component.Status = status
		again.component = component
		if diff := cmp.Diff(status, statusAfter(&again)); diff != "" {
			t.Errorf("%s: the status changed, though nothing did (-before +after):\n%s", name, diff)
		}
	}
}

func TestWithoutAWorkflowNothingIsSaidOfOne(t *testing.T) {
	gone := passedRun("r1", health.Verdict{Healthy: true, Reason: condition.ReasonHealthy, Message: "Fine."})
	gone.component.Status = statusAfter(inEvent(workflow.PhaseSucceeded, true))
	gone.event = &corev1alpha1.LifecycleEvent{ID: "e2", Completed: true}
	if said := conditionOf(statusAfter(gone), condition.Workflow); said.Status != "" {
		t.Errorf("got %s", said.Message)
	}
}
