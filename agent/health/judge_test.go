package health

import (
	"context"
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
