package workflow_test

import (
	"testing"

	"wheelwright.dev/wheelwright/agent/workflow"
)

func TestListsAreEvaluatedStepByStep(t *testing.T) {
	for name, test := range map[string]struct {
		source string
		calls  []string
		steps  []string
	}{
		"no workflow means dispatch": {
			`outputs: []`, []string{"dispatch"}, []string{"dispatch succeeded"},
		},
		"a list without dispatch gets one at its end": {
			block(`{type: "notify"}`), []string{"notify", "dispatch"}, []string{"notify succeeded", "dispatch succeeded"},
		},
		"an empty list gets a dispatch": {
			`workflow: create: []`, []string{"dispatch"}, []string{"dispatch succeeded"},
		},
		"a later step reads what an earlier one returned": {
			block(`{type: "refresh"}`, `if context.steps.refresh.size > 2 {type: "notify"}`, `{type: "dispatch"}`),
			[]string{"refresh", "notify", "dispatch"}, []string{"refresh succeeded", "notify succeeded", "dispatch succeeded"},
		},
		"an element may undo its own condition by what it sets": {
			block(`if context.workflow.done == _|_ {type: "set-workflow-state", properties: done: true}`, `{type: "dispatch"}`,
				`if context.outputs != _|_ {type: "notify"}`),
			[]string{"dispatch", "notify"},
			[]string{"set-workflow-state succeeded", "dispatch succeeded", "notify succeeded"},
		},
		"a for gives a step for each value": {
			block(`for size in [1, 2] {type: "notify", properties: n: size}`),
			[]string{"notify", "notify", "dispatch"}, []string{"notify succeeded", "notify-2 succeeded", "dispatch succeeded"},
		},
		"repeated types are numbered beside given names": {
			block(`{type: "notify"}`, `{type: "refresh", name: "notify-2"}`, `{type: "notify"}`),
			[]string{"notify", "refresh", "notify", "dispatch"},
			[]string{"notify succeeded", "notify-2 succeeded", "notify-3 succeeded", "dispatch succeeded"},
		},
		"a list that is put together is taken as a whole": {
			"import \"list\"\n_before: [{type: \"notify\"}]\nworkflow: create: list.Concat([_before, [{type: \"dispatch\"}]])\n",
			[]string{"notify", "dispatch"}, []string{"notify succeeded", "dispatch succeeded"},
		},
		"a schema of one's own over the list is welcome": {
			`workflow: create: [...{type: string, ...}]
			workflow: create: [{type: "notify"}]`,
			[]string{"notify", "dispatch"}, []string{"notify succeeded", "dispatch succeeded"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFlow(t, test.source)
			f.answers["refresh"] = returns(map[string]any{"size": 3})
			result := f.finish()
			wantPhase(t, result.Run, workflow.PhaseSucceeded)
			f.wantCalls(test.calls...)
			wantSteps(t, result.Run, test.steps...)
		})
	}
}

func TestWhatIsWrongWithAListFailsTheEventWithItsPlace(t *testing.T) {
	for name, test := range map[string]struct {
		source string
		kind   workflow.Kind
		parts  []string
	}{
		"a condition over a step that never ran": {
			block(`{type: "notify"}`, `if context.steps.nobody.ok {type: "refresh"}`), workflow.Create,
			[]string{"database/workflow.cue:3:", "workflow.create[1]", "nobody"},
		},
		"outputs before dispatch": {
			block(`if context.outputs.service.x {type: "notify"}`), workflow.Create,
			[]string{"workflow.create[0]", "once the dispatch step of a create or upgrade event has run"},
		},
		"a property over a step that never ran": {
			block(`{type: "notify", properties: x: context.steps.nobody.y}`), workflow.Create,
			[]string{"Step notify failed", "properties.x is not known", "nobody"},
		},
		"no type":           {block(`{name: "x"}`), workflow.Create, []string{"workflow.create[0]", "a step needs a type"}},
		"an unknown field":  {block(`{type: "notify", propertys: {}}`), workflow.Create, []string{"a step has no field propertys"}},
		"a field of a type": {block(`{type: "notify", dependsOn: "x"}`), workflow.Create, []string{"dependsOn cannot be read"}},
		"two equal names": {
			block(`{type: "notify", name: "x"}`, `{type: "refresh", name: "x"}`), workflow.Create, []string{`two steps have the name "x"`},
		},
		"two dispatches":     {block(`{type: "dispatch"}`, `{type: "dispatch"}`), workflow.Create, []string{"one step of type dispatch"}},
		"the wrong boundary": {block(`{type: "dispatch-delete"}`), workflow.Create, []string{"cannot stand in workflow.create: use dispatch"}},
		"the wrong boundary of delete": {
			`workflow: delete: [{type: "dispatch"}]`, workflow.Delete, []string{"cannot stand in workflow.delete: use dispatch-delete"},
		},
		"dispatch in a group": {
			block(`{type: "step-group", subSteps: [{type: "dispatch"}]}`), workflow.Create, []string{"cannot stand in a step-group"},
		},
		"a group in a group": {
			block(`{type: "step-group", subSteps: [{type: "step-group", name: "x"}]}`), workflow.Create,
			[]string{"a step-group cannot stand in a step-group"},
		},
		"a selector elsewhere": {block(`{type: "notify", selector: names: ["x"]}`), workflow.Create, []string{"selector is for wait-healthy"}},
		"a timeout that is none": {
			block(`{type: "notify", timeout: "soon"}`), workflow.Create, []string{`timeout "soon" is no duration`},
		},
		"dependsOn on a later step": {
			block(`{type: "notify", dependsOn: ["dispatch"]}`), workflow.Create, []string{`depends on step "dispatch", which is no step before it`},
		},
		"a conflict":     {block(`{type: "notify" & "x"}`), workflow.Create, []string{"workflow.create[0].type", "conflicting values"}},
		"a syntax error": {"workflow: create: [", workflow.Create, []string{"database/workflow.cue:1:"}},
		"no list":        {`workflow: create: "x"`, workflow.Create, []string{"workflow.create"}},
		"properties of dispatch": {
			block(`{type: "dispatch", properties: x: 1}`), workflow.Create, []string{"Step dispatch failed", `unknown field "x"`},
		},
		"health before dispatch": {block(`{type: "wait-healthy"}`), workflow.Create, []string{"before the dispatch step"}},
		"an input that nothing brings": {
			block(`{type: "notify", inputs: [{from: "x", parameterKey: "y"}]}`), workflow.Create, []string{`input "x" is neither`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFlow(t, test.source)
			f.event.Kind = test.kind
			result := f.finish()
			wantPhase(t, result.Run, workflow.PhaseFailed)
			wantMessage(t, result.Run.Message, test.parts...)
			for _, call := range f.calls {
				if call == "dispatch" && name != "two dispatches" {
					t.Errorf("it was dispatched all the same: %q", f.calls)
				}
			}
		})
	}
}

func TestStepsOfAnElementThatHasBegunMustStayAsTheyWere(t *testing.T) {
	f := newFlow(t, block(`for key, size in context.workflow.sizes {
		type: "set-workflow-state", name: "set-\(key)", properties: sizes: {other: 1}
	}`))
	f.event.Context.Workflow = map[string]any{"sizes": map[string]any{"a": 1, "b": 2}}
	result := f.finish()
	wantPhase(t, result.Run, workflow.PhaseFailed)
	wantMessage(t, result.Run.Message, "workflow.create[0]", `"set-a"`, `"set-other"`, "must not depend on what its own steps change")
}

func TestAnElementThatTakesItselfAwayWhileItRunsFails(t *testing.T) {
	f := newFlow(t, block(`if context.workflow.x == _|_ {type: "step-group", mode: "StepByStep", subSteps: [
		{type: "set-workflow-state", properties: x: 1}, {type: "notify"}]}`))
	result := f.finish()
	wantPhase(t, result.Run, workflow.PhaseFailed)
	wantMessage(t, result.Run.Message, `["step-group"]`, "gives [] now")
	f.wantCalls()
}

func TestADefinitionThatChangesDuringAnEventIsRefused(t *testing.T) {
	f := newFlow(t, block(`{type: "notify"}`))
	f.answers["notify"] = doneAfter(2, nil)
	f.pass()
	f.event.Definition.Files = map[string]string{"workflow.cue": block(`{type: "refresh"}`)}
	_, err := f.engine().Run(t.Context(), f.event)
	if err == nil {
		t.Fatal("a pass was made with another definition")
	}
	wantMessage(t, err.Error(), "event-1", "another content of definition database")
}

func TestAnotherEventBeginsAnew(t *testing.T) {
	f := newFlow(t, block(`{type: "notify"}`))
	first := f.pass().Run.Steps[0].ID
	f.pass()
	f.wantCalls("notify", "dispatch")
	f.event.ID = "event-2"
	if second := f.pass().Run.Steps[0].ID; first == second {
		t.Error("the steps of two events have one identity")
	}
	f.wantCalls("notify", "dispatch", "notify", "dispatch")
}
