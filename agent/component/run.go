package component

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/health"
	"wheelwright.dev/wheelwright/agent/identity"
	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/agent/render"
	"wheelwright.dev/wheelwright/agent/tracker"
	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/directive"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// run is one pass of the pipeline over one Component. Each step adds what later ones need.
type run struct {
	component *corev1alpha1.Component
	owner     object.Owner
	// now is when the pass began, to the second, as conditions have it.
	now time.Time

	// seen is what the pass read beside what it owns.
	seen sights

	standing standing
	// account is whose rights the Component has, unless it has the agent's.
	account types.NamespacedName
	actor   identity.Actor
	// namespaceGoes is set where the Component is deleted with its namespace.
	namespaceGoes bool

	// work is what to evaluate.
	work      evaluate.Work
	rendering *render.Rendering
	ledger    *tracker.Ledger
	states    []apply.State
	verdict   *health.Verdict
	// resolved are the properties without from* directives.
	resolved *directive.Resolved
	// recheck is when to look again though nothing happens, or 0.
	recheck time.Duration
	// wanted are the objects of the rendering as the tracker holds them.
	wanted tracker.Wanted
	// observed are the rendered objects that are only read.
	observed []*unstructured.Unstructured
	// judged are the objects that the verdict is about.
	judged []health.Object
	// afterError is why traits could not add what they add to a healthy Component.
	afterError error

	// event is the lifecycle event that the Component is in, or was in last, and scope its context.
	event *corev1alpha1.LifecycleEvent
	scope workflow.Context
	// hasWorkflow tells whether the definition has a workflow.
	hasWorkflow bool
	// state is context.workflow.
	state map[string]any
	// workflowRun is how far the workflow has come, of this event or of one before.
	workflowRun *workflow.Run
	// request is the last one that was acted upon, and restarted is set when it asked for the workflow to begin anew.
	request   string
	restarted bool

	halt *halt
}

// newRun begins a pass over component.
func newRun(component *corev1alpha1.Component, now time.Time) *run {
	return &run{component: component, owner: object.OwnerFor(component), now: now.Truncate(time.Second), seen: sights{}, request: component.Status.WorkflowRequest}
}

// recheckIn asks for another pass after a while.
func (r *run) recheckIn(after time.Duration) {
	if after > 0 && (r.recheck == 0 || after < r.recheck) {
		r.recheck = after
	}
}

// progress is how far the workflow of the event has come, or nil when it has not begun.
func (r *run) progress() *workflow.Run {
	if r.event == nil || r.workflowRun == nil || r.workflowRun.EventID != r.event.ID {
		return nil
	}
	return r.workflowRun
}

// dispatched tells whether the event's dispatch step has succeeded, so that what it renders is to be kept as it is.
func (r *run) dispatched() bool { return r.progress() != nil && r.progress().Dispatched() }

func (r *run) name() types.NamespacedName {
	return types.NamespacedName{Namespace: r.component.Namespace, Name: r.component.Name}
}

// halt is why the pipeline ended early.
type halt struct {
	// at is the condition that could not become True.
	at string
	// reason and message are the condition's.
	reason  string
	message string
	// waits is set when nothing was found wrong: the revision is not judged until what it waits for has come.
	waits bool
	// err, if any, is a failure that trying again may mend. Without it, an event brings the Component back.
	err error
	// superseded is set when somebody wrote to the Component meanwhile. Their event brings it back, and nothing is said of this
	// pass.
	superseded bool
}

func (h *halt) isSuperseded() bool { return h != nil && h.superseded }

func (h *halt) retry() error {
	if h == nil {
		return nil
	}
	return h.err
}

// stop ends the pipeline at a condition, with a sentence.
func stop(at, reason, format string, args ...any) *halt {
	return &halt{at: at, reason: reason, message: fmt.Sprintf(format, args...) + "."}
}

// retrying makes h end in another try after a while, because of err.
func (h *halt) retrying(err error) *halt {
	h.err = err
	return h
}

// waiting marks h as one in which nothing is wrong.
func (h *halt) waiting() *halt {
	h.waits = true
	return h
}
