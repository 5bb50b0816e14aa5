package health

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/cue"
)

// evaluator is a definition that answers with what the context holds.
type evaluator struct {
	hasHealth bool
	asked     []cue.Context
	answer    cue.Judgement
}

func (e *evaluator) HasHealth() bool    { return e.hasHealth }
func (e *evaluator) ReadsOutputs() bool { return false }
func (e *evaluator) Judge(_ context.Context, seen cue.Context) (cue.Judgement, error) {
	e.asked = append(e.asked, seen)
	return e.answer, nil
}

func judged(t *testing.T, name, live string, paths ...string) Object {
	t.Helper()
	object := parse(t, live)
	output := cue.Output{Name: name, Object: object}
	for _, path := range paths {
		parsed, err := cue.ParseStatusPath(path, ".status."+path)
		if err != nil {
			t.Fatal(err)
		}
		output.StatusPaths = append(output.StatusPaths, parsed)
	}
	return Object{Output: output, Live: object}
}

func TestJudgeAsksOnlyWhenAllCaughtUp(t *testing.T) {
	current := judged(t, "a", `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`)
	behind := judged(t, "b", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: b, generation: 2}, status: {observedGeneration: 1}}`)
	unseen := judged(t, "c", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}`)
	unseen.Live = nil
	for name, objects := range map[string][]Object{"behind": {current, behind}, "unseen": {current, unseen}} {
		definition := &evaluator{hasHealth: true, answer: cue.Judgement{Healthy: true}}
		verdict, err := Judge(t.Context(), definition, cue.Context{}, objects)
		if err != nil || verdict.Healthy || verdict.Reason != condition.ReasonRollingOut || len(definition.asked) > 0 {
			t.Errorf("%s: got %+v, %v after asking the definition %d times", name, verdict, err, len(definition.asked))
		}
	}
	definition := &evaluator{hasHealth: true, answer: cue.Judgement{Healthy: true}}
	if verdict, err := Judge(t.Context(), definition, cue.Context{}, []Object{current}); err != nil || !verdict.Healthy {
		t.Errorf("got %+v, %v, want healthy", verdict, err)
	}
}

func TestJudgeOffersStatus(t *testing.T) {
	definition := &evaluator{hasHealth: true}
	_, err := Judge(t.Context(), definition, cue.Context{Name: "web"}, []Object{
		judged(t, "some", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, status: {ready: 3, other: 1}}`, "ready", "absent"),
		judged(t, "whole", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: b}, status: {ready: 3, other: 1}}`),
		judged(t, "none", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]any{
		"some":  {"ready": int64(3)},
		"whole": {"ready": int64(3), "other": int64(1)},
		"none":  {},
	}
	if diff := cmp.Diff(want, definition.asked[0].Status); diff != "" {
		t.Errorf("context.status (-want +got):\n%s", diff)
	}
}

func TestJudgeByStatus(t *testing.T) {
	for name, tc := range map[string]struct {
		live    string
		healthy bool
	}{
		"a kind without status":       {`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`, true},
		"available deployment":        {`{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, generation: 1}, spec: {replicas: 1}, status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, conditions: [{type: Available, status: "True"}]}}`, true},
		"deployment that is not":      {`{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, generation: 1}, spec: {replicas: 1}, status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1}}`, false},
		"custom resource, not ready":  {`{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, status: {conditions: [{type: Ready, status: "False"}]}}`, false},
		"custom resource, silent":     {`{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}}`, true},
		"failed job":                  {`{apiVersion: batch/v1, kind: Job, metadata: {name: a}, status: {conditions: [{type: Failed, status: "True"}]}}`, false},
		"job that has not started":    {`{apiVersion: batch/v1, kind: Job, metadata: {name: a}}`, false},
		"claim that waits for volume": {`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, status: {phase: Pending}}`, false},
	} {
		verdict, err := Judge(t.Context(), &evaluator{answer: cue.Judgement{Healthy: true}}, cue.Context{}, []Object{judged(t, "a", tc.live)})
		if err != nil || verdict.Healthy != tc.healthy {
			t.Errorf("%s: got %+v, %v, want healthy %v", name, verdict, err, tc.healthy)
		}
	}
}

// Whatever a definition says, nothing is healthy whose parts are not.
func TestJudgeComponents(t *testing.T) {
	const head = `apiVersion: core.wheelwright.dev/v1alpha1, kind: Component, metadata: {namespace: shop, name: db, generation: 2}`
	for name, tc := range map[string]struct{ status, reason, message string }{
		"never processed":     {`{}`, condition.ReasonRollingOut, "its controller has not seen it yet"},
		"at another one":      {`{observedGeneration: 1, isHealthy: true}`, condition.ReasonRollingOut, "generation 1 of 2"},
		"waits":               {`{observedGeneration: 2}`, condition.ReasonUnhealthy, "Component.core.wheelwright.dev shop/db is not healthy; "},
		"says why":            {`{observedGeneration: 2, isHealthy: false, conditions: [{type: Applied}, {type: Ready, reason: RollingOut}]}`, condition.ReasonUnhealthy, "is not healthy (RollingOut)"},
		"healthy":             {`{observedGeneration: 2, isHealthy: true}`, condition.ReasonHealthy, ""},
		"healthy, not Ready":  {`{observedGeneration: 2, isHealthy: true, conditions: [{type: Ready, status: "False", reason: TraitFailed}]}`, condition.ReasonHealthy, ""},
		"in words, not truth": {`{observedGeneration: 2, isHealthy: "true"}`, condition.ReasonUnhealthy, "is not healthy"},
	} {
		for _, hasHealth := range []bool{true, false} {
			definition := &evaluator{hasHealth: hasHealth, answer: cue.Judgement{Healthy: true}}
			verdict, err := Judge(t.Context(), definition, cue.Context{}, []Object{judged(t, "db", "{"+head+", status: "+tc.status+"}")})
			if err != nil || verdict.Reason != tc.reason || !strings.Contains(verdict.Message, tc.message) || verdict.Healthy != (tc.reason == condition.ReasonHealthy) {
				t.Errorf("%s, with isHealthy=%v: got %+v, %v, want %s: %s", name, hasHealth, verdict, err, tc.reason, tc.message)
			}
		}
	}
}
