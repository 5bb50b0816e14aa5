package main

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/spf13/cobra"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

const escapes = "\x1b[2J\x1b]0;owned\a\u009b31m\u202e\r\nsecond line\t"

// TestHostileStatuses shows Components whose status and events hold what nobody should: whoever may write them must not be able to
// write to the terminal of those who look, or to keep them from looking.
func TestHostileStatuses(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("x", 10_000) + escapes
	condition := func(typ, status, message string) metav1.Condition {
		return metav1.Condition{Type: typ, Status: metav1.ConditionStatus(status), Reason: "Because", Message: message, LastTransitionTime: metav1.Now()}
	}
	for name, status := range map[string]corev1alpha1.ComponentStatus{
		"nothing":     {},
		"seen":        {ObservedGeneration: 1},
		"far-ahead":   {ObservedGeneration: 1 << 60, Conditions: []metav1.Condition{condition("Ready", "False", escapes)}},
		"garbage-run": {ObservedGeneration: 1, WorkflowRun: &runtime.RawExtension{Raw: []byte(`{"steps": "\u001b[2Jnone", "phase": 5}`)}},
		"odd-run": {ObservedGeneration: 1, WorkflowRun: &runtime.RawExtension{
			Raw: []byte(`{"event": "\u001b[2J", "phase": "\u0007", "steps": [{"name": "\u001b[2J", "type": "\u202e", "phase": "\u0000", "message": "\u009b2J"}, {}]}`)}},
		"long":    {ObservedGeneration: 1, Conditions: []metav1.Condition{condition("Ready", "False", long), condition("Healthy", "False", long), condition("Odd", "True", escapes)}},
		"exports": {ObservedGeneration: 1, Exports: &runtime.RawExtension{Raw: []byte(`{"a": "\u001b[2J` + "\u009b" + `"}`)}},
		"only-rendered": {ObservedGeneration: 1, Conditions: []metav1.Condition{condition("Rendered", "False", escapes),
			condition("Workflow", "Unknown", "In the workflow of the delete event")}},
	} {
		w.hostile(name, status, long)
	}
	out, _ := w.wheel(getCommand(), "component")
	if lines := strings.Count(out, "\n"); lines != 9 {
		t.Errorf("eight Components are shown in %d lines:\n%s", lines, out)
	}
}

// hostile makes a Component by hand, with an event, and shows it in every way.
func (w *world) hostile(name string, status corev1alpha1.ComponentStatus, message string) {
	w.t.Helper()
	component := &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name}, Spec: corev1alpha1.ComponentSpec{Type: "odd"}}
	w.create(component)
	component.Status = status
	w.writeStatus(component)
	w.create(&corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: w.namespace, Name: name},
		InvolvedObject: corev1.ObjectReference{Kind: "Component", Namespace: w.namespace, Name: name, UID: component.UID},
		Reason:         "Odd" + escapes, Message: message[:1000] + escapes, Type: "Normal",
	})
	for verb, command := range map[string]func() *cobra.Command{"get": getCommand, "tree": treeCommand, "why": whyCommand, "events": eventsCommand} {
		want := 0
		if verb == "why" {
			want = exitNotHealthy
		}
		if out, code := w.wheel(command(), "component", name); code != want || out == "" {
			w.t.Errorf("%s of %s: exit code %d, and %q", verb, name, code, out)
		}
	}
	out, _ := w.wheel(whyCommand(), "component", name)
	if lines := strings.Count(out, "\n"); lines != 2 || len(out) > 2000 {
		w.t.Errorf("why of %s is %d lines of %d bytes: %s", name, lines, len(out), out)
	}
	out, _ = w.wheel(whyCommand(), "component", name, "-o", "json")
	var answer map[string]any
	if err := json.Unmarshal([]byte(out), &answer); err != nil || answer["healthy"] != false || answer["because"] == "" {
		w.t.Errorf("why of %s as JSON is %v, %v", name, answer, err)
	}
	w.t.Logf("%s: %.300s", name, out)
}
