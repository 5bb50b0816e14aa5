package workflow

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Phase is how far the workflow of an event has come.
type Phase string

// Phases of a Run. The last three are final: nothing runs any more.
const (
	PhaseRunning    Phase = "running"
	PhaseSuspended  Phase = "suspended"
	PhaseSucceeded  Phase = "succeeded"
	PhaseFailed     Phase = "failed"
	PhaseTerminated Phase = "terminated"
)

// StepPhase is how far a step has come, in the words that kubevela/workflow has for it.
type StepPhase string

// Phases of a step. The last three are final.
const (
	StepPending    StepPhase = "pending"
	StepRunning    StepPhase = "running"
	StepSuspending StepPhase = "suspending"
	StepSucceeded  StepPhase = "succeeded"
	StepFailed     StepPhase = "failed"
	StepSkipped    StepPhase = "skipped"
)

// Reasons why a step failed or does not run, in the words that kubevela/workflow has for them.
const (
	ReasonAction             = "Action"
	ReasonExecute            = "Execute"
	ReasonFailedAfterRetries = "FailedAfterRetries"
	ReasonInput              = "Input"
	ReasonOutput             = "Output"
	ReasonRendering          = "Rendering"
	ReasonSkip               = "Skip"
	ReasonSuspend            = "Suspend"
	ReasonTerminate          = "Terminate"
	ReasonTimeout            = "Timeout"
	ReasonWait               = "Wait"
)

// Run is all that is known of the workflow of one event. It is kept in the Component's status between passes.
type Run struct {
	// EventID tells the event that the run belongs to.
	EventID string `json:"eventID"`
	// Event is create, upgrade or delete.
	Event Kind `json:"event"`
	// Definition is the hash of the definition that the run began with. It holds for the whole event.
	Definition string `json:"definition"`
	// Attempt counts the restarts. It is part of the identity of the steps that begin after one.
	Attempt int32 `json:"attempt,omitempty"`
	// Phase says whether the run goes on.
	Phase Phase `json:"phase"`
	// Message says, for people, what the run waits for or why it ended.
	Message string `json:"message,omitempty"`
	// Suspended is set while a person holds the run. No step runs then.
	Suspended bool `json:"suspended,omitempty"`
	// StartedAt is when the first pass was made.
	StartedAt metav1.Time `json:"startedAt"`
	// FinishedAt is when the run came to a final phase.
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
	// Element is the index of the element of the list that the run has come to.
	Element int32 `json:"element,omitempty"`
	// Steps are those that have begun or were skipped, in order. The steps of a group come right after it.
	Steps []StepStatus `json:"steps,omitempty"`
	// Workflow holds the keys that set-workflow-state steps of this event set.
	Workflow map[string]apiextensionsv1.JSON `json:"workflow,omitempty"`
	// Leftover are the IDs of steps that were given up while their Job ran. The Jobs are to be removed after their end.
	Leftover []string `json:"leftover,omitempty"`
	// Variables are the outputs of steps by name, for the inputs of later ones.
	Variables map[string]apiextensionsv1.JSON `json:"variables,omitempty"`
}

// StepStatus is all that is known of one step.
type StepStatus struct {
	// Name of the step, unique in its event.
	Name string `json:"name"`
	Type string `json:"type"`
	// Group is the step-group that the step is in.
	Group string `json:"group,omitempty"`
	// Element is the index of the element of the list that gave the step.
	Element int32 `json:"element"`
	// ID is the hash of the step's identity. Things that the step makes are named after it.
	ID string `json:"id"`
	// Phase says how far the step has come; Reason and Message say why.
	Phase   StepPhase `json:"phase"`
	Reason  string    `json:"reason,omitempty"`
	Message string    `json:"message,omitempty"`
	// Failures counts the tries that failed in a row and may yet succeed.
	Failures int32 `json:"failures,omitempty"`
	// StartedAt is when the step first ran. Its timeout counts from here.
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// RetryAt is when a step that failed is tried again.
	RetryAt *metav1.Time `json:"retryAt,omitempty"`
	// FinishedAt is when the step came to a final phase.
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
	// Returns is what later steps find in context.steps under the step's name.
	Returns map[string]apiextensionsv1.JSON `json:"returns,omitempty"`
	// Outputs are the names of the variables that the step set.
	Outputs []string `json:"outputs,omitempty"`
	// Notes are what the engine keeps of a step from try to try. They go when the step has finished.
	Notes map[string]string `json:"notes,omitempty"`
}

// Finished tells whether the run came to its end, a good one or not.
func (r *Run) Finished() bool {
	return r.Phase == PhaseSucceeded || r.Phase == PhaseFailed || r.Phase == PhaseTerminated
}

// Dispatched tells whether the event's dispatch step has succeeded.
func (r *Run) Dispatched() bool {
	for i := range r.Steps {
		if r.Steps[i].Type == TypeDispatch {
			return r.Steps[i].Phase == StepSucceeded
		}
	}
	return false
}

// Finished tells whether the step came to its end, a good one or not.
func (s *StepStatus) Finished() bool {
	return s.Phase == StepSucceeded || s.Phase == StepFailed || s.Phase == StepSkipped
}

// givenUp are the IDs of the steps among steps whose Job may still run though nobody waits for it any more.
func givenUp(steps []StepStatus) []string {
	var ids []string
	for i := range steps {
		step := &steps[i]
		ended := step.Finished() && step.Reason != ReasonTimeout && step.Reason != ReasonTerminate
		if step.Type == TypeRunJob && step.StartedAt != nil && !ended {
			ids = append(ids, step.ID)
		}
	}
	return ids
}

// step finds a step by name, or gives nil. The pointer holds until the next step begins.
func (r *Run) step(name string) *StepStatus {
	for i := range r.Steps {
		if r.Steps[i].Name == name {
			return &r.Steps[i]
		}
	}
	return nil
}

// failure is the first step that failed, or nil.
func (r *Run) failure() *StepStatus {
	for i := range r.Steps {
		if r.Steps[i].Phase == StepFailed {
			return &r.Steps[i]
		}
	}
	return nil
}

// begun are the names of the steps that an element has begun, without those in groups.
func (r *Run) begun(element int) []string {
	var names []string
	for i := range r.Steps {
		if int(r.Steps[i].Element) == element && r.Steps[i].Group == "" {
			names = append(names, r.Steps[i].Name)
		}
	}
	return names
}

// copy shares no memory with r that a pass writes to.
func (r *Run) copy() Run {
	copied := *r
	copied.Steps = make([]StepStatus, len(r.Steps))
	for i, step := range r.Steps {
		step.Notes = copyMap(step.Notes)
		copied.Steps[i] = step
	}
	copied.Leftover = slices.Clone(r.Leftover)
	copied.Workflow, copied.Variables = copyMap(r.Workflow), copyMap(r.Variables)
	return copied
}

// Redact rewrites every message, so that what must not be shown can be taken out of them.
func (r *Run) Redact(rewrite func(message string) string) {
	r.Message = rewrite(r.Message)
	for i := range r.Steps {
		r.Steps[i].Message = rewrite(r.Steps[i].Message)
	}
}
