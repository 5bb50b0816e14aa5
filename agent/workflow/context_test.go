package workflow_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"wheelwright.dev/wheelwright/agent/workflow"
)

// TestTheContextHasWhatTheTableOfTheKEPSays reads every field of the table in every place where a step can stand. A key whose
// value is not there is left out by set-workflow-state, which shows it.
func TestTheContextHasWhatTheTableOfTheKEPSays(t *testing.T) {
	const missing = ""
	for _, row := range []struct {
		field                                                string
		createBefore, createAfter, deleteBefore, deleteAfter string
	}{
		{"event", `"upgrade"`, `"upgrade"`, `"delete"`, `"delete"`},
		{"paramsChanged", "true", "true", missing, missing},
		{"definitionChanged", "false", "false", missing, missing},
		{"traitsChanged", "true", "true", missing, missing},
		{"params.current", `{"size":1}`, `{"size":1}`, `{"size":1}`, `{"size":1}`},
		{"params.target", `{"size":2}`, `{"size":2}`, missing, missing},
		{"apiVersion.current", `"v1"`, `"v1"`, `"v1"`, `"v1"`},
		{"apiVersion.target", `"v2"`, `"v2"`, missing, missing},
		{"previousParams", `{"size":1}`, `{"size":1}`, `{"size":1}`, `{"size":1}`},
		{"parameters", `{"size":2}`, `{"size":2}`, `{"size":1}`, `{"size":1}`},
		{"outputs.service.metadata.name", missing, `"db"`, missing, missing},
		{"workflow.earlier", "7", "7", "7", "7"},
		{`steps.notify.sent`, `"yes"`, `"yes"`, `"yes"`, `"yes"`},
		{`steps["later"]`, missing, missing, missing, missing},
		{"name", `"db"`, `"db"`, `"db"`, `"db"`},
		{"namespace", `"shop"`, `"shop"`, `"shop"`, `"shop"`},
		{"appName", `"store"`, `"store"`, `"store"`, `"store"`},
	} {
		t.Run(row.field, func(t *testing.T) {
			source := fmt.Sprintf(`
				let steps = {
					first:  {type: "notify"}
					before: {type: "set-workflow-state", properties: before: context.%[1]s}
					after:  {type: "set-workflow-state", name: "keep", properties: after: context.%[1]s}
				}
				workflow: create: [steps.first, steps.before, {type: "dispatch"}, steps.after, {type: "notify", name: "later"}]
				workflow: delete: [steps.first, steps.before, {type: "dispatch-delete"}, steps.after, {type: "notify", name: "later"}]
			`, row.field)
			for kind, want := range map[workflow.Kind][2]string{
				workflow.Upgrade: {row.createBefore, row.createAfter}, workflow.Delete: {row.deleteBefore, row.deleteAfter},
			} {
				f := newFlow(t, source)
				f.event.Kind = kind
				f.event.Context = workflow.Context{
					ParamsChanged: true, TraitsChanged: true, CurrentAPIVersion: "v1", TargetAPIVersion: "v2",
					CurrentParams: map[string]any{"size": 1}, TargetParams: map[string]any{"size": 2},
					Workflow: map[string]any{"earlier": 7},
					Values:   map[string]any{"appName": "store", "outputs": "no", "paramsChanged": "no"},
				}
				f.answers["notify"] = returns(map[string]any{"sent": "yes"})
				result := f.finish()
				wantPhase(t, result.Run, workflow.PhaseSucceeded)
				for i, key := range []string{"before", "after"} {
					got := ""
					if value, ok := result.Workflow[key]; ok {
						encoded, _ := json.Marshal(value)
						got = string(encoded)
					}
					if got != want[i] {
						t.Errorf("%s, %s the boundary: context.%s is %q, want %q", kind, key, row.field, got, want[i])
					}
				}
			}
		})
	}
}

func TestContextWorkflowIsThatOfEarlierEventsWithThisOnesKeysOverIt(t *testing.T) {
	f := newFlow(t, block(
		`{type: "set-workflow-state", properties: {a: "new", seen: context.workflow.b}}`,
		`{type: "notify", properties: {a: context.workflow.a, b: context.workflow.b}}`,
	))
	f.event.Context.Workflow = map[string]any{"a": "old", "b": "old"}
	result := f.pass()
	wantPhase(t, result.Run, workflow.PhaseSucceeded)
	want := `{"a":"new","b":"old"}`
	if got, _ := json.Marshal(f.seen["notify"][0].Parameters["params"]); string(got) != want {
		t.Errorf("a later step saw %s, want %s", got, want)
	}
	want = `{"a":"new","b":"old","seen":"old"}`
	if got, _ := json.Marshal(result.Workflow); string(got) != want {
		t.Errorf("the event leaves %s, want %s", got, want)
	}
	if got, _ := json.Marshal(f.dispatched); string(got) != want {
		t.Errorf("dispatch saw %s, want %s", got, want)
	}
}

func TestParametersOfTheDefinitionCanBeReferredToByTheirOwnName(t *testing.T) {
	for _, field := range []string{"parameters", "parameter", "context.parameters"} {
		f := newFlow(t, block(fmt.Sprintf(`{type: "notify", properties: image: %s.image}`, field)))
		f.event.Definition.Files["variables.cue"] = "parameters: image: string"
		f.event.Context.TargetParams = map[string]any{"image": "db:12"}
		wantPhase(t, f.pass().Run, workflow.PhaseSucceeded)
		if got := f.seen["notify"][0].Parameters["params"].(map[string]any)["image"]; got != "db:12" {
			t.Errorf("%s.image is %v", field, got)
		}
	}
}
