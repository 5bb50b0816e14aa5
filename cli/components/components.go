// Package components shows Components of a cluster: many as a table, one on a screen.
package components

import (
	"cmp"
	"context"
	"io"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/live"
	"wheelwright.dev/wheelwright/cli/terminal"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// List reads the Components of a namespace, or of all where it is empty, by namespace and name.
func List(ctx context.Context, reader client.Reader, namespace string) ([]corev1alpha1.Component, error) {
	found := &corev1alpha1.ComponentList{}
	if err := reader.List(ctx, found, client.InNamespace(namespace)); err != nil {
		return nil, live.Explain("the Components", err)
	}
	slices.SortFunc(found.Items, func(a, b corev1alpha1.Component) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return found.Items, nil
}

// PrintTable writes a line for each Component. With namespaces, each says in which one it is.
func PrintTable(out io.Writer, components []corev1alpha1.Component, namespaces bool, now time.Time) error {
	head := []string{"NAME", "TYPE", "READY", "REASON", "AGE", "MESSAGE"}
	if namespaces {
		head = append([]string{"NAMESPACE"}, head...)
	}
	rows := [][]string{head}
	for i := range components {
		component := &components[i]
		row := append([]string{component.Name, terminal.Clean(component.Spec.Type)}, standing(component)...)
		row = append(row, age(component.CreationTimestamp, now), message(component))
		if namespaces {
			row = append([]string{component.Namespace}, row...)
		}
		rows = append(rows, row)
	}
	return terminal.Table(out, rows)
}

// standing is Ready and its reason. What was said of an older generation is not true of this one.
func standing(component *corev1alpha1.Component) []string {
	ready := readyOf(component)
	switch {
	case component.Status.ObservedGeneration < component.Generation, ready.Status == "":
		return []string{string(metav1.ConditionUnknown), "NotSeenYet"}
	}
	return []string{string(ready.Status), cmp.Or(terminal.Clean(ready.Reason), "-")}
}

// message leaves out what Ready says of those that are.
func message(component *corev1alpha1.Component) string {
	ready := readyOf(component)
	switch {
	case component.Status.ObservedGeneration < component.Generation:
		return "the agent has not looked at the newest spec yet"
	case ready.Status == metav1.ConditionTrue:
		return ""
	}
	// Ready points at another condition where the pipeline stopped before it was judged; for a workflow, that one says more.
	if said := meta.FindStatusCondition(component.Status.Conditions, condition.Workflow); said != nil && said.Reason == ready.Reason {
		return terminal.Clean(said.Message)
	}
	return terminal.Clean(ready.Message)
}

func readyOf(component *corev1alpha1.Component) metav1.Condition {
	if found := meta.FindStatusCondition(component.Status.Conditions, condition.Ready); found != nil {
		return *found
	}
	return metav1.Condition{}
}

func age(since metav1.Time, now time.Time) string {
	if since.IsZero() {
		return "-"
	}
	return duration.HumanDuration(max(now.Sub(since.Time), 0))
}

// Read gives a Component as the API has it, for those who want all of it. Like kubectl, it leaves out managedFields.
func Read(ctx context.Context, reader client.Reader, key client.ObjectKey) (*unstructured.Unstructured, error) {
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(corev1alpha1.GroupVersion.WithKind("Component"))
	if err := reader.Get(ctx, key, found); err != nil {
		return nil, live.Explain("Component "+key.String(), err)
	}
	found.SetManagedFields(nil)
	return found, nil
}

// ReadAll is Read for all Components of a namespace, or of all namespaces where it is empty.
func ReadAll(ctx context.Context, reader client.Reader, namespace string) (*unstructured.UnstructuredList, error) {
	found := &unstructured.UnstructuredList{}
	found.SetGroupVersionKind(corev1alpha1.GroupVersion.WithKind("ComponentList"))
	if err := reader.List(ctx, found, client.InNamespace(namespace)); err != nil {
		return nil, live.Explain("the Components", err)
	}
	for i := range found.Items {
		found.Items[i].SetManagedFields(nil)
	}
	return found, nil
}
