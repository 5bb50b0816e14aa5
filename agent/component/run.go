package component

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/health"
	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/agent/render"
	"wheelwright.dev/wheelwright/agent/tracker"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/directive"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// run is one pass of the pipeline over one Component. Each step adds what later ones need.
type run struct {
	component *corev1alpha1.Component
	owner     object.Owner

	// work is what to evaluate.
	work      evaluate.Work
	rendering *render.Rendering
	ledger    *corev1alpha1.ResourceTracker
	states    []apply.State
	verdict   *health.Verdict
	// resolved are the properties without from* directives.
	resolved *directive.Resolved
	// recheck is when to look again though nothing happens, or 0.
	recheck time.Duration
	// wanted are the objects of the rendering as the tracker holds them.
	wanted tracker.Wanted
	// judged are the objects that the verdict is about.
	judged []health.Object
	// afterError is why traits could not add what they add to a healthy Component.
	afterError error

	halt *halt
}

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
}

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
