package component

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// reasonRequest is the reason of the Kubernetes event that tells what came of a request.
const reasonRequest = "WorkflowRequest"

// actOnRequest does once what a person asks of the workflow of the event of that id. That it was done is written together
// with what it did.
func (r *Reconciler) actOnRequest(run *run, eventID string) {
	asked := run.component.Annotations[corev1alpha1.WorkflowRequestAnnotation]
	if asked == "" || asked == run.component.Status.WorkflowRequest {
		return
	}
	run.request = asked
	said := notice{corev1.EventTypeNormal, reasonRequest, fmt.Sprintf("Acted upon %q.", asked)}
	if err := run.act(asked, eventID); err != nil {
		said = notice{corev1.EventTypeWarning, reasonRequest, fmt.Sprintf("Cannot act upon %q: %v.", asked, err)}
	} else if strings.HasPrefix(asked, "terminate") {
		r.operations.Cancel(run.owner.UID)
	}
	r.publish(run.component, []notice{said})
}

// act changes the stored run as <verb>/<id> or <verb>:<step>/<id> asks.
func (r *run) act(asked, eventID string) error {
	if r.workflowRun == nil || r.workflowRun.EventID != eventID {
		return fmt.Errorf("the Component's last event has no workflow that has begun")
	}
	verb, step, _ := strings.Cut(asked[:max(strings.LastIndex(asked, "/"), 0)], ":")
	next, now := *r.workflowRun, metav1.Now()
	var err error
	switch verb {
	case "suspend":
		next, err = workflow.Suspend(next)
	case "resume":
		next, err = workflow.Resume(next, now)
	case "terminate":
		if next.Event == workflow.Delete && next.Phase == workflow.PhaseFailed { // what failed holds the Component still
			next.Phase, next.Message = workflow.PhaseTerminated, "Terminated by a person."
		} else {
			next, err = workflow.Terminate(next, now)
		}
	case "restart":
		r.restarted = true
		if step == "" {
			next = workflow.Restart(next, now)
		} else if next, err = workflow.RestartFrom(next, step); err != nil {
			r.restarted = false
		}
	default:
		err = fmt.Errorf("it can be suspend, resume, restart or terminate")
	}
	if err == nil {
		r.workflowRun = &next
	}
	return err
}
