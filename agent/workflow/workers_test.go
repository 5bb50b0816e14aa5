package workflow_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/agent/workflow"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/evaluate"
	"wheelwright.dev/wheelwright/shared/worker"
)

func newWorkers(t *testing.T) *workflow.Workers {
	t.Helper()
	return workflow.NewWorkers(worker.Options{Size: 1, Slow: 1, SlowAfter: 300 * time.Millisecond, Deadline: 2 * time.Second})
}

func query(source string, index int) workflow.Query {
	return workflow.Query{
		Definition: definition.Definition{Name: "db", Files: map[string]string{"workflow.cue": source}}, Block: "create", Index: index,
		Scope: workflow.Scope{"context": json.RawMessage(`{"event":"create","n":9007199254740993}`)},
	}
}

func TestAWorkerProcessGivesWhatEvaluationGives(t *testing.T) {
	workers := newWorkers(t)
	source := block(
		`{type: "run-job", retries: 0, properties: {n: context.n, later: context.steps.a.b}}`,
		`if context.event == "create" {{type: "x", if: "always"}}`,
		`{type: 1 & 2}`,
	)
	got, err := workers.Element(t.Context(), query(source, 0))
	if err != nil || got.Elements != 3 || len(got.Steps) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	step := got.Steps[0]
	if step.Retries == nil || *step.Retries != 0 ||
		string(step.Properties["n"]) != "9007199254740993" || step.Missing["later"] == "" {
		t.Errorf("got %s", pretty(step))
	}
	got, err = workers.Element(t.Context(), query(source, 1))
	if diff := cmp.Diff([]workflow.Step{{Type: "x", If: "always"}}, got.Steps); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	got, err = workers.Element(t.Context(), query(source, 2))
	if wrong := (*cue.Error)(nil); !errors.As(err, &wrong) || got.Elements != 3 || !strings.Contains(wrong.Error(), "db/workflow.cue:") {
		t.Errorf("got %+v, %v", got, err)
	}
	for expression, want := range map[string]bool{`context.event == "create"`: true, `context.n == 1`: false} {
		holds, err := workers.Condition(t.Context(), expression, query("", 0).Scope)
		if err != nil || holds != want {
			t.Errorf("%s: got %v, %v", expression, holds, err)
		}
	}
	if _, err := workers.Condition(t.Context(), "context.event ==", nil); err == nil {
		t.Error("a condition that cannot be parsed is not refused")
	}
}

func TestAWorkflowThatDoesNotEndIsEnded(t *testing.T) {
	const bomb = "import \"list\"\nbig: list.Range(0, 3000, 1)\nworkflow: create: [for a in big for b in big for c in big {type: \"\\(a)-\\(b)-\\(c)\"}]\n"
	_, err := newWorkers(t).Element(t.Context(), query(bomb, 0))
	if limit := (*evaluate.LimitError)(nil); !errors.As(err, &limit) || !strings.Contains(err.Error(), "workflow.create of definition db") {
		t.Errorf("got %v", err)
	}
}
