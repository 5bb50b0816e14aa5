package application

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

func object(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "core.wheelwright.dev/v1alpha1", "kind": "Component",
		"metadata": map[string]any{"namespace": "shop", "name": name},
	}}
}

func reading(state dispatch.State, reason string) dispatch.Reading {
	return dispatch.Reading{State: state, Reason: reason, Message: "says " + reason}
}

func TestReadySumsUpTheWorstFirst(t *testing.T) {
	healthy := reading(dispatch.Healthy, dispatch.ReasonHealthy)
	misplaced := &problem{condition.ReasonNoClusters, "nothing selected"}
	cases := map[string]struct {
		found  outcome
		status metav1.ConditionStatus
		reason string
	}{
		"AllHealthy": {outcome{clusters: 2, pairs: []pair{{"web", "a", healthy}, {"web", "b", healthy}}}, metav1.ConditionTrue, condition.ReasonReady},
		"OneNotProcessed": {outcome{clusters: 1, pairs: []pair{{"web", "a", healthy}, {"db", "a", reading(dispatch.Unknown, dispatch.ReasonNotProcessed)}}},
			metav1.ConditionFalse, condition.ReasonProgressing},
		"OneUnhealthy": {outcome{clusters: 1, pairs: []pair{{"web", "a", reading(dispatch.Unhealthy, dispatch.ReasonProgressing)}}},
			metav1.ConditionFalse, condition.ReasonProgressing},
		"OneTooLong": {outcome{clusters: 2, pairs: []pair{{"web", "a", reading(dispatch.Unknown, dispatch.ReasonClusterUnavailable)},
			{"web", "b", reading(dispatch.Unhealthy, dispatch.ReasonDeadlineExceeded)}}}, metav1.ConditionFalse, dispatch.ReasonDeadlineExceeded},
		"Claimed": {outcome{clusters: 1, pairs: []pair{{"web", "a", reading(dispatch.Unknown, condition.ReasonClaimed)},
			{"db", "a", reading(dispatch.Unhealthy, dispatch.ReasonDeadlineExceeded)}}}, metav1.ConditionFalse, condition.ReasonClaimed},
		"ClusterDown": {outcome{clusters: 1, pairs: []pair{{"web", "a", reading(dispatch.Unknown, dispatch.ReasonClusterUnavailable)}}}, metav1.ConditionUnknown, dispatch.ReasonClusterUnavailable},
		"WriteFailed": {outcome{clusters: 1, pairs: []pair{{"web", "a", reading(dispatch.Unknown, condition.ReasonDispatchFailed)}}}, metav1.ConditionFalse, condition.ReasonDispatchFailed},
		"NoClusters":  {outcome{misplaced: misplaced}, metav1.ConditionFalse, condition.ReasonNoClusters},
		"Rejected":    {outcome{rejected: &problem{condition.ReasonInvalidProperties, "no"}}, metav1.ConditionFalse, condition.ReasonInvalidProperties},
		"ClusterGoneOfTwo": {outcome{misplaced: &problem{condition.ReasonUnknownCluster, "gone"}, clusters: 1, pairs: []pair{{"web", "a", healthy}}},
			metav1.ConditionFalse, condition.ReasonUnknownCluster},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			app := &corev1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
			next := nextStatus(app, c.found)
			ready := meta.FindStatusCondition(next.Conditions, condition.Ready)
			if ready == nil || ready.Status != c.status || ready.Reason != c.reason || ready.ObservedGeneration != 3 {
				t.Errorf("got %+v, want %s/%s", ready, c.status, c.reason)
			}
			if next.ObservedGeneration != 3 {
				t.Errorf("observedGeneration is %d", next.ObservedGeneration)
			}
		})
	}
}

func TestRejectionKeepsWhatWasAccepted(t *testing.T) {
	app := &corev1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Generation: 5}}
	app.Status.AcceptedGeneration = 4
	app.Status.DefinitionLocks = []corev1alpha1.DefinitionLock{{Type: "webservice"}}
	next := nextStatus(app, outcome{rejected: &problem{condition.ReasonDependencyCycle, "a → a"}})
	if next.AcceptedGeneration != 4 || len(next.DefinitionLocks) != 1 || next.ObservedGeneration != 5 {
		t.Errorf("got %+v", next)
	}
}

func TestStatusIsBounded(t *testing.T) {
	var pairs []pair
	for i := range 1000 {
		pairs = append(pairs, pair{"web", fmt.Sprintf("c%04d", i), reading(dispatch.Unknown, dispatch.ReasonNotProcessed)})
	}
	pairs[999].reading = reading(dispatch.Unhealthy, dispatch.ReasonDeadlineExceeded)
	next := nextStatus(&corev1alpha1.Application{}, outcome{clusters: 1000, pairs: pairs})
	if len(next.Offenders) != maxOffenders || next.Counts.Desired != 1000 || next.Counts.Unknown != 999 || next.Counts.Unhealthy != 1 {
		t.Errorf("got %d offenders and %+v", len(next.Offenders), next.Counts)
	}
	if next.Offenders[0].Cluster != "c0999" {
		t.Errorf("the failed one is not named first but %+v", next.Offenders[0])
	}
}

func TestPacePutsOffOnlyCounts(t *testing.T) {
	p, start, uid := newPace(), time.Unix(100, 0), types.UID("a")
	if p.wait(uid, start) != 0 {
		t.Error("the first write waits")
	}
	p.wrote(uid, start)
	if got := p.wait(uid, start.Add(300*time.Millisecond)); got != 700*time.Millisecond {
		t.Errorf("the second write waits %s", got)
	}
	if p.wait(uid, start.Add(time.Second)) != 0 || p.wait("b", start) != 0 {
		t.Error("a write waits after a second, or for another Application's")
	}
	app := &corev1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
	two := nextStatus(app, outcome{clusters: 2, pairs: []pair{{"w", "a", reading(dispatch.Unknown, "X")}, {"w", "b", reading(dispatch.Unknown, "X")}}})
	one := nextStatus(app, outcome{clusters: 2, pairs: []pair{{"w", "a", reading(dispatch.Healthy, "")}, {"w", "b", reading(dispatch.Unknown, "X")}}})
	all := nextStatus(app, outcome{clusters: 2, pairs: []pair{{"w", "a", reading(dispatch.Healthy, "")}, {"w", "b", reading(dispatch.Healthy, "")}}})
	if significant(two, one) {
		t.Error("one more healthy cluster of several is written at once")
	}
	if !significant(one, all) {
		t.Error("becoming ready is put off")
	}
}

func TestNextToGoTakesDependentsFirst(t *testing.T) {
	app := &corev1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "shop"}}
	app.Spec.Components = needs([]string{"db"}, []string{"web", "db"})
	name := func(component string) string { return dispatch.WorkName("Component", "shop", "shop-"+component) }
	db, web, old := dispatch.Work{Cluster: "a", Name: name("db")}, dispatch.Work{Cluster: "a", Name: name("web")}, dispatch.Work{Cluster: "a", Name: name("old")}
	elsewhere := dispatch.Work{Cluster: "b", Name: name("db")}
	cases := map[string]struct{ left, want []dispatch.Work }{
		"UnknownFirst":  {[]dispatch.Work{db, web, old}, []dispatch.Work{old}},
		"Dependents":    {[]dispatch.Work{db, web}, []dispatch.Work{web}},
		"ThenUpstream":  {[]dispatch.Work{db}, []dispatch.Work{db}},
		"PerCluster":    {[]dispatch.Work{db, web, elsewhere}, []dispatch.Work{web, elsewhere}},
		"NothingIsLeft": {nil, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := nextToGo(c.left, depths(app))
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// What people write has any length, and so do the messages that repeat it; one that is too long would be refused with the
// whole status.
func TestLongMessagesAreCut(t *testing.T) {
	app := &corev1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
	next := nextStatus(app, outcome{rejected: &problem{condition.ReasonInvalidProperties, strings.Repeat("ä", 40_000)}})
	for _, one := range next.Conditions {
		if len(one.Message) > condition.MaxMessage+len("…") {
			t.Errorf("the message of %s has %d bytes", one.Type, len(one.Message))
		}
	}
}
