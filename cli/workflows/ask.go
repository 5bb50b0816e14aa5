// Package workflows is what people ask of the workflow of a Component, on the cluster that it runs on.
package workflows

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// Request is what a person asks for.
type Request struct {
	// Verb is suspend, resume, restart or terminate.
	Verb string
	// Step to restart from; empty means the first one.
	Step string
}

// poll is how often the answer is looked for.
const poll = 100 * time.Millisecond

// Ask puts a request to the workflow of a Component and waits until the agent has acted upon it. It gives back the condition
// that the workflow came to. The request is an annotation: only the agent writes what it keeps of its workflows, so that no
// step of its is ever undone by a person's older copy.
func Ask(ctx context.Context, spokeClient client.Client, key client.ObjectKey, request Request) (metav1.Condition, error) {
	component := &corev1alpha1.Component{}
	if err := spokeClient.Get(ctx, key, component); err != nil {
		return metav1.Condition{}, fmt.Errorf("reading Component %s: %w", key, err)
	}
	if err := request.check(component); err != nil {
		return metav1.Condition{}, fmt.Errorf("the workflow of Component %s: %w", key, err)
	}
	value := request.value()
	before := component.DeepCopy()
	metav1.SetMetaDataAnnotation(&component.ObjectMeta, corev1alpha1.WorkflowRequestAnnotation, value)
	if err := spokeClient.Patch(ctx, component, client.MergeFrom(before)); err != nil {
		return metav1.Condition{}, fmt.Errorf("writing the request to Component %s: %w", key, err)
	}
	gone := false
	err := wait.PollUntilContextCancel(ctx, poll, true, func(ctx context.Context) (bool, error) {
		err := spokeClient.Get(ctx, key, component)
		gone = client.IgnoreNotFound(err) == nil && err != nil
		return gone || component.Status.WorkflowRequest == value, client.IgnoreNotFound(err)
	})
	if err != nil {
		return metav1.Condition{}, fmt.Errorf("waiting for the agent to act upon the request to Component %s: %w; does it run?", key, err)
	}
	if gone {
		return metav1.Condition{Message: "The Component is gone."}, nil
	}
	if found := meta.FindStatusCondition(component.Status.Conditions, condition.Workflow); found != nil {
		return *found, nil
	}
	return metav1.Condition{}, nil
}

// value is the annotation's. The second half makes it different from every earlier one.
func (r Request) value() string {
	id := make([]byte, 6)
	_, _ = rand.Read(id) // never fails
	if r.Step != "" {
		return r.Verb + ":" + r.Step + "/" + hex.EncodeToString(id)
	}
	return r.Verb + "/" + hex.EncodeToString(id)
}

// check finds what the agent would refuse.
func (r Request) check(component *corev1alpha1.Component) error {
	run, err := runOf(component)
	if err != nil {
		return err
	}
	switch r.Verb {
	case "suspend":
		_, err = workflow.Suspend(*run)
	case "resume":
		_, err = workflow.Resume(*run, metav1.Now())
	case "terminate":
		if run.Event != workflow.Delete || run.Phase != workflow.PhaseFailed {
			_, err = workflow.Terminate(*run, metav1.Now())
		}
	case "restart":
		if r.Step != "" {
			_, err = workflow.RestartFrom(*run, r.Step)
		}
	}
	return err
}

// runOf is the newest run of a Component's workflow.
func runOf(component *corev1alpha1.Component) (*workflow.Run, error) {
	if component.Status.WorkflowRun == nil {
		return nil, fmt.Errorf("no workflow has begun: its definition has none, or its event has not started")
	}
	run := &workflow.Run{}
	if err := json.Unmarshal(component.Status.WorkflowRun.Raw, run); err != nil {
		return nil, fmt.Errorf("decoding status.workflowRun: %w", err)
	}
	return run, nil
}
