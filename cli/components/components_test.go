package components

import (
	"bytes"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func said(typ, status, reason, message string) metav1.Condition {
	return metav1.Condition{Type: typ, Status: metav1.ConditionStatus(status), Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(noon.Add(-time.Minute))}
}

func component(name string, generation, seen int64, conditions ...metav1.Condition) corev1alpha1.Component {
	return corev1alpha1.Component{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Generation: generation, CreationTimestamp: metav1.NewTime(noon.Add(-time.Hour))},
		Spec:       corev1alpha1.ComponentSpec{Type: "webservice"},
		Status:     corev1alpha1.ComponentStatus{ObservedGeneration: seen, Conditions: conditions},
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	err := PrintTable(&out, []corev1alpha1.Component{
		component("good", 1, 1, said(condition.Ready, "True", "Ready", "Everything is well.")),
		component("held", 1, 1, said(condition.Ready, "False", "WorkflowSuspended", "Not judged."), said(condition.Workflow, "Unknown", "WorkflowSuspended", "Step approve.")),
		component("new", 1, 0),
		component("changed", 3, 2, said(condition.Ready, "True", "Ready", "Everything is well.")),
	}, true, noon)
	want := `NAMESPACE   NAME      TYPE         READY     REASON              AGE   MESSAGE
shop        good      webservice   True      Ready               60m
shop        held      webservice   False     WorkflowSuspended   60m   Step approve.
shop        new       webservice   Unknown   NotSeenYet          60m   the agent has not looked at the newest spec yet
shop        changed   webservice   Unknown   NotSeenYet          60m   the agent has not looked at the newest spec yet
`
	if err != nil || out.String() != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, out.String(), want)
	}
}

func TestOneComponentOnAScreen(t *testing.T) {
	shown := component("web", 3, 3, said(condition.Healthy, "False", "Unhealthy", "0 of 1"), said(condition.Ready, "False", "Unhealthy", "0 of 1"))
	shown.Spec.Revision = "abc"
	shown.Status.Event = &corev1alpha1.LifecycleEvent{ID: "e1", Type: "upgrade"}
	shown.Status.Exports = &runtime.RawExtension{Raw: []byte(`{"port": 80}`)}
	shown.Status.WorkflowRun = &runtime.RawExtension{Raw: []byte(`{"event":"upgrade","phase":"running","steps":[
		{"name":"migrate","type":"run-job","phase":"succeeded","startedAt":"2026-01-02T11:00:00Z","finishedAt":"2026-01-02T11:30:00Z"},
		{"name":"wait","type":"wait-healthy","phase":"running","message":"0 of 1","startedAt":"2026-01-02T11:58:00Z"},{"name":"next","type":"notify","phase":"pending"}]}`)}
	var out bytes.Buffer
	if err := PrintOne(&out, &shown, noon); err != nil {
		t.Fatal(err)
	}
	want := `Component:    shop/web
Type:         webservice
Age:          60m
Generation:   3, seen by the agent
Revision:     abc
Event:        upgrade e1, not completed

CONDITION   STATUS   REASON      SINCE   MESSAGE
Ready       False    Unhealthy   60s     0 of 1
Healthy     False    Unhealthy   60s     0 of 1

Workflow of the upgrade event: running
STEP      TYPE           PHASE       SINCE   MESSAGE
migrate   run-job        succeeded   30m
wait      wait-healthy   running     2m      0 of 1
next      notify         pending     -

Exports: {"port":80}

Next: wheel why component web -n shop
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	shown.Status.WorkflowRun.Raw = []byte(`[5]`)
	out.Reset()
	if err := PrintOne(&out, &shown, noon); err != nil || !strings.Contains(out.String(), "status.workflowRun is not the agent's own") || !strings.Contains(out.String(), "Exports:") {
		t.Errorf("a run that cannot be read hides what is behind it: %v\n%s", err, out.String())
	}
}
