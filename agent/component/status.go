package component

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// stages are the conditions that the pipeline passes, in its order. Ready sums them up. Only a definition that has a workflow
// passes Workflow.
var stages = []string{condition.Verified, condition.Rendered, condition.Workflow, condition.Applied, condition.Healthy}

// statusAfter is the whole status that a run of the pipeline leads to.
func statusAfter(run *run) corev1alpha1.ComponentStatus {
	component := run.component
	healthy := run.halt == nil && run.verdict.Healthy
	status := corev1alpha1.ComponentStatus{
		ObservedGeneration: component.Generation,
		Conditions:         component.DeepCopy().Status.Conditions,
	}
	keepLifecycle(run, &status)
	if waits := run.halt != nil && run.halt.waits; !waits {
		status.IsHealthy = &healthy
		if component.Spec.Revision != "" {
			status.Health = []corev1alpha1.RevisionHealth{{Revision: component.Spec.Revision, IsHealthy: healthy}}
		}
	}
	var exportsError error
	if healthy {
		status.Exports, exportsError = exportsAfter(run)
	}
	conditions := conditionsAfter(run)
	if !run.showsWorkflow() {
		meta.RemoveStatusCondition(&status.Conditions, condition.Workflow)
	}
	sum := ready(conditions, exportsError, run.afterError)
	for _, one := range append(conditions, sum) {
		setCondition(&status, run, one)
	}
	run.pace(sum, exportsError).set(&status, run)
	return status
}

// setCondition makes one a condition of status. It keeps the time of its last transition where it made none.
func setCondition(status *corev1alpha1.ComponentStatus, run *run, one metav1.Condition) {
	one.ObservedGeneration = run.component.Generation
	one.Message = condition.Message(one.Message)
	one.LastTransitionTime = metav1.NewTime(run.now)
	meta.SetStatusCondition(&status.Conditions, one)
}

// keepLifecycle keeps what the next passes need to know of events and workflows.
func keepLifecycle(run *run, status *corev1alpha1.ComponentStatus) {
	before := run.component.Status
	status.Event, status.Workflow, status.WorkflowRun = before.Event, before.Workflow, before.WorkflowRun
	status.WorkflowRequest = run.request
	if run.event != nil {
		status.Event = run.event
	}
	if run.workflowRun != nil {
		status.WorkflowRun = encodeKept(run.workflowRun, before.WorkflowRun)
	}
	if len(run.state) > 0 {
		status.Workflow = encodeKept(run.state, before.Workflow)
	}
}

// conditionsAfter gives the stages: those that were passed are True, the one that was not has the reason, and those
// behind it refer to it.
func conditionsAfter(run *run) []metav1.Condition {
	conditions := make([]metav1.Condition, 0, len(stages)+1)
	for _, stage := range stages {
		switch {
		case stage == condition.Workflow && !run.showsWorkflow():
		case stage == condition.Workflow && run.progress() != nil:
			conditions = append(conditions, workflowCondition(run))
		case run.halt != nil && run.halt.at == stage:
			conditions = append(conditions, stoppedAt(run, stage))
		case run.hasPassed(stage):
			conditions = append(conditions, passed(run, stage))
		default:
			conditions = append(conditions, notReached(run, stage))
		}
	}
	return conditions
}

// hasPassed tells whether the pipeline came further than stage.
func (r *run) hasPassed(stage string) bool {
	if r.halt == nil || stage == condition.Verified {
		return true
	}
	if r.halt.at == condition.Workflow {
		return stage != condition.Healthy && r.dispatched() && r.rendering != nil
	}
	if stage == condition.Rendered && r.rendering == nil {
		return false
	}
	return slices.Index(stages, stage) < slices.Index(stages, r.halt.at)
}

// showsWorkflow tells whether there is something to say of a workflow.
func (r *run) showsWorkflow() bool {
	if r.event == nil {
		return conditionOf(r.component.Status, condition.Workflow).Status != ""
	}
	return r.hasWorkflow
}

func stoppedAt(run *run, stage string) metav1.Condition {
	stopped := metav1.Condition{Type: stage, Status: metav1.ConditionFalse, Reason: run.halt.reason, Message: run.halt.message}
	if stage == condition.Workflow && run.halt.waits {
		stopped.Status = metav1.ConditionUnknown
	}
	return stopped
}

// workflowCondition says how far the workflow of the event has come, wherever the pipeline ended.
func workflowCondition(run *run) metav1.Condition {
	if made := run.progress(); made.Phase == workflow.PhaseSucceeded {
		return metav1.Condition{Type: condition.Workflow, Status: metav1.ConditionTrue, Reason: condition.ReasonWorkflowSucceeded,
			Message: fmt.Sprintf("The workflow of the %s event has succeeded.", made.Event)}
	}
	halted := run.workflowHalt()
	said := metav1.Condition{Type: condition.Workflow, Status: metav1.ConditionFalse, Reason: halted.reason, Message: halted.message}
	if halted.waits && (run.halt == nil || run.halt.waits) {
		said.Status = metav1.ConditionUnknown
	}
	return said
}

func passed(run *run, stage string) metav1.Condition {
	switch stage {
	case condition.Verified:
		reason, message := run.identified()
		return metav1.Condition{Type: stage, Status: metav1.ConditionTrue, Reason: reason, Message: message}
	case condition.Rendered:
		return metav1.Condition{Type: stage, Status: metav1.ConditionTrue, Reason: condition.ReasonRendered,
			Message: fmt.Sprintf("The definition renders %s.", objects(len(run.rendering.Outputs)))}
	case condition.Workflow:
		return metav1.Condition{Type: stage, Status: metav1.ConditionTrue, Reason: condition.ReasonWorkflowSucceeded,
			Message: "No workflow is to be run."}
	case condition.Applied:
		return metav1.Condition{Type: stage, Status: metav1.ConditionTrue, Reason: condition.ReasonApplied,
			Message: fmt.Sprintf("%s as rendered on the cluster.", objectsAre(len(run.states)))}
	}
	judged := metav1.Condition{Type: stage, Status: metav1.ConditionFalse, Reason: run.verdict.Reason, Message: run.verdict.Message}
	if run.verdict.Healthy {
		judged.Status = metav1.ConditionTrue
	}
	return judged
}

// notReached is the condition of a stage that an earlier one kept the pipeline from. What waits is not known to be
// anything; what failed is not applied, and not healthy.
func notReached(run *run, stage string) metav1.Condition {
	status := metav1.ConditionFalse
	if run.halt.waits {
		status = metav1.ConditionUnknown
	}
	message := fmt.Sprintf("Not judged: condition %s is not True.", run.halt.at)
	if stage == condition.Applied {
		message = fmt.Sprintf("Nothing was applied, since condition %s is not True; what was applied before stays.", run.halt.at)
	}
	return metav1.Condition{Type: stage, Status: status, Reason: run.halt.reason, Message: message}
}

// ready is True when all stages are, and else has the reason of the first one that is not.
func ready(conditions []metav1.Condition, exportsError, afterError error) metav1.Condition {
	for _, one := range conditions {
		if one.Status != metav1.ConditionTrue {
			return metav1.Condition{Type: condition.Ready, Status: metav1.ConditionFalse, Reason: one.Reason, Message: one.Message}
		}
	}
	if exportsError != nil {
		return metav1.Condition{Type: condition.Ready, Status: metav1.ConditionFalse, Reason: condition.ReasonExportsFailed,
			Message: fmt.Sprintf("Healthy, but exports cannot be evaluated: %v.", exportsError)}
	}
	if afterError != nil {
		return metav1.Condition{Type: condition.Ready, Status: metav1.ConditionFalse, Reason: condition.ReasonTraitFailed,
			Message: fmt.Sprintf("Healthy, but a trait cannot add its objects: %v.", afterError)}
	}
	return metav1.Condition{Type: condition.Ready, Status: metav1.ConditionTrue, Reason: condition.ReasonReady,
		Message: "Everything is applied and healthy."}
}

// exportsAfter encodes the exports, in the bytes that status has already where they say the same.
func exportsAfter(run *run) (*runtime.RawExtension, error) {
	if len(run.verdict.Exports) == 0 {
		return nil, run.verdict.ExportsError
	}
	raw, err := json.Marshal(run.verdict.Exports)
	if err != nil {
		return nil, fmt.Errorf("encoding exports: %w", err)
	}
	if before := run.component.Status.Exports; before != nil && sameJSON(before.Raw, raw) {
		raw = before.Raw
	}
	return &runtime.RawExtension{Raw: raw}, run.verdict.ExportsError
}

func sameJSON(a, b []byte) bool {
	var first, second any
	return json.Unmarshal(a, &first) == nil && json.Unmarshal(b, &second) == nil && equality.Semantic.DeepEqual(first, second)
}

func objects(n int) string {
	if n == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", n)
}

func objectsAre(n int) string {
	if n == 1 {
		return "1 object is"
	}
	return fmt.Sprintf("%d objects are", n)
}

func isReady(status corev1alpha1.ComponentStatus) bool {
	return meta.IsStatusConditionTrue(status.Conditions, condition.Ready)
}
