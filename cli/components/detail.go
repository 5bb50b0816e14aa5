package components

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"wheelwright.dev/wheelwright/cli/terminal"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// order is that of the pipeline; conditions that are not of it come last.
var order = []string{condition.Ready, condition.Rendered, condition.Workflow, condition.Applied, condition.Healthy}

// PrintOne writes all that a person wants to know of one Component first. Messages are whole: a terminal wraps them.
func PrintOne(out io.Writer, component *corev1alpha1.Component, now time.Time) error {
	var screen bytes.Buffer
	for _, write := range []func(io.Writer, *corev1alpha1.Component, time.Time) error{
		printHead, printConditions, printWorkflow, printExports, printNext,
	} {
		if err := write(&screen, component, now); err != nil {
			return err
		}
	}
	_, err := screen.WriteTo(out)
	return err
}

func printHead(out io.Writer, component *corev1alpha1.Component, now time.Time) error {
	rows := [][]string{
		{"Component:", component.Namespace + "/" + component.Name},
		{"Type:", terminal.Clean(component.Spec.Type)},
		{"Age:", age(component.CreationTimestamp, now)},
		{"Generation:", generation(component)},
	}
	if revision := component.Spec.Revision; revision != "" {
		rows = append(rows, []string{"Revision:", terminal.Clean(revision)})
	}
	if deleted := component.DeletionTimestamp; deleted != nil {
		rows = append(rows, []string{"Deleted:", age(*deleted, now) + " ago"})
	}
	if event := component.Status.Event; event != nil {
		progress := "not completed"
		if event.Completed {
			progress = "completed"
		}
		rows = append(rows, []string{"Event:", fmt.Sprintf("%s %s, %s", terminal.Clean(event.Type), terminal.Clean(event.ID), progress)})
	}
	return terminal.Table(out, rows)
}

func generation(component *corev1alpha1.Component) string {
	if component.Status.ObservedGeneration >= component.Generation {
		return fmt.Sprintf("%d, seen by the agent", component.Generation)
	}
	return fmt.Sprintf("%d, not seen by the agent yet (it has seen %d)", component.Generation, component.Status.ObservedGeneration)
}

func printConditions(out io.Writer, component *corev1alpha1.Component, now time.Time) error {
	if len(component.Status.Conditions) == 0 {
		_, err := fmt.Fprintln(out, "\nThe agent has said nothing of it yet.")
		return err
	}
	rows := [][]string{{"CONDITION", "STATUS", "REASON", "SINCE", "MESSAGE"}}
	for _, one := range inOrder(component.Status.Conditions) {
		rows = append(rows, []string{
			terminal.Clean(one.Type), terminal.Clean(string(one.Status)), cmp.Or(terminal.Clean(one.Reason), "-"),
			age(one.LastTransitionTime, now), terminal.Clean(one.Message),
		})
	}
	return section(out, rows)
}

func inOrder(conditions []metav1.Condition) []metav1.Condition {
	rank := func(one metav1.Condition) int {
		if at := slices.Index(order, one.Type); at >= 0 {
			return at
		}
		return len(order)
	}
	sorted := slices.Clone(conditions)
	slices.SortStableFunc(sorted, func(a, b metav1.Condition) int { return cmp.Compare(rank(a), rank(b)) })
	return sorted
}

func printExports(out io.Writer, component *corev1alpha1.Component, _ time.Time) error {
	if component.Status.Exports == nil {
		return nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, component.Status.Exports.Raw); err != nil {
		return nil // it is no JSON, so that there are no exports
	}
	_, err := fmt.Fprintf(out, "\nExports: %s\n", terminal.Clean(compact.String()))
	return err
}

func printNext(out io.Writer, component *corev1alpha1.Component, _ time.Time) error {
	verb := "tree"
	if readyOf(component).Status != metav1.ConditionTrue || component.Status.ObservedGeneration < component.Generation {
		verb = "why"
	}
	_, err := fmt.Fprintf(out, "\nNext: wheel %s component %s -n %s\n", verb, component.Name, component.Namespace)
	return err
}

func section(out io.Writer, rows [][]string) error {
	if _, err := fmt.Fprintln(out); err != nil {
		return err
	}
	return terminal.Table(out, rows)
}
