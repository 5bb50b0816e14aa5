package components

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"wheelwright.dev/wheelwright/agent/workflow"
	"wheelwright.dev/wheelwright/cli/terminal"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// printWorkflow writes the steps of the newest run. What is kept of it may be anybody's, as status is; a run that cannot be read
// hides nothing else.
func printWorkflow(out io.Writer, component *corev1alpha1.Component, now time.Time) error {
	if component.Status.WorkflowRun == nil {
		return nil
	}
	run := &workflow.Run{}
	if err := json.Unmarshal(component.Status.WorkflowRun.Raw, run); err != nil {
		_, err = fmt.Fprintf(out, "\nstatus.workflowRun is not the agent's own: %s\n", terminal.Clean(err.Error()))
		return err
	}
	if _, err := fmt.Fprintf(out, "\nWorkflow of the %s event: %s\n", terminal.Clean(string(run.Event)), terminal.Clean(string(run.Phase))); err != nil {
		return err
	}
	if len(run.Steps) == 0 {
		return nil
	}
	rows := [][]string{{"STEP", "TYPE", "PHASE", "SINCE", "MESSAGE"}}
	for _, step := range run.Steps {
		since := cmp.Or(step.FinishedAt, step.StartedAt, &metav1.Time{})
		rows = append(rows, []string{
			terminal.Clean(step.Name), terminal.Clean(step.Type), terminal.Clean(string(step.Phase)), age(*since, now), terminal.Clean(step.Message),
		})
	}
	return terminal.Table(out, rows)
}
