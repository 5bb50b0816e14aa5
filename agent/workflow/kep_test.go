package workflow_test

import (
	"encoding/json"
	"testing"

	"wheelwright.dev/wheelwright/agent/workflow"
)

// helmChart is the workflow of the KEP's helm-chart definition.
const helmChart = `
workflow: {
	create: [
		if context.apiVersion.current != context.apiVersion.target {
			{ type: "helm-migrate-schema", properties: {
					fromVersion: context.apiVersion.current
					toVersion:   context.apiVersion.target
					fromParams:  context.params.current
					toParams:    context.params.target
				}
			}
		}
		if context.event == "create" {
			{
				type: "helm-install"
				properties: {chart: context.parameters.chart, version: context.parameters.version}
				outputs: [
					{ name: "helmResources", valueFrom: "resources" }
				]
			}
		}
		if context.event == "upgrade" && context.paramsChanged {
			{
				type: "helm-upgrade"
				properties: {chart: context.parameters.chart, version: context.parameters.version}
				outputs: [
					{ name: "helmResources", valueFrom: "resources" }
				]
			}
		}
		{
			type: "set-workflow-state"
			properties: { releaseName: context.name, installed: context.steps["helm-install"].releaseName }
			inputs: [
				{ from: "helmResources", parameterKey: "resources" }
			]
		},
		{ type: "dispatch" }
	]
	delete: [
		{ type: "notify", properties: { message: "leaving \(context.previousParams.chart) \(context.workflow.releaseName)" } },
		{ type: "dispatch-delete" },
		{ type: "notify", properties: { message: "teardown complete", chart: context.params.current.chart } }
	]
}
`

// helmInstall is the KEP's WorkflowStepDefinition.
const helmInstall = `
parameters: {
	chart:   string
	version: string
}
#do: "helm-install"
release:   context.name
chart:     parameters.chart
version:   parameters.version
namespace: context.namespace
`

func helmFlow(t *testing.T) *flow {
	f := newFlow(t, helmChart)
	f.steps["helm-install"] = helmInstall
	f.answers["helm-install"] = returns(map[string]any{"releaseName": "db-release", "resources": []any{"a", "b"}})
	f.answers["helm-upgrade"] = returns(map[string]any{"resources": []any{"c"}})
	parameters := map[string]any{"chart": "postgres", "version": "12"}
	f.event.Context = workflow.Context{
		TargetParams: parameters, CurrentParams: parameters, TargetAPIVersion: "v1", CurrentAPIVersion: "v1",
	}
	return f
}

func TestTheHelmChartOfTheKEPIsInstalledOnCreate(t *testing.T) {
	f := helmFlow(t)
	result := f.pass()
	wantPhase(t, result.Run, workflow.PhaseSucceeded)
	f.wantCalls("helm-install", "dispatch")
	want := `{"chart":"postgres","namespace":"shop","release":"db","version":"12"}`
	if got, _ := json.Marshal(f.seen["helm-install"][0].Parameters); string(got) != want {
		t.Errorf("helm-install was asked with %s, want %s", got, want)
	}
	state, _ := json.Marshal(f.dispatched)
	if want := `{"installed":"db-release","releaseName":"db","resources":["a","b"]}`; string(state) != want {
		t.Errorf("dispatch saw context.workflow %s, want %s", state, want)
	}
}

func TestTheHelmChartOfTheKEPIsUpgradedOnlyWhereParametersChanged(t *testing.T) {
	for name, test := range map[string]struct {
		changed bool
		calls   []string
		state   string
	}{
		"parameters changed": {true, []string{"helm-upgrade", "dispatch"},
			`{"installed":"before","releaseName":"db","resources":["c"]}`},
		"something else changed": {false, []string{"dispatch"}, `{"installed":"before","releaseName":"db"}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := helmFlow(t)
			f.event.Kind, f.event.Context.ParamsChanged = workflow.Upgrade, test.changed
			f.event.Context.Workflow = map[string]any{"installed": "before"}
			result := f.pass()
			wantPhase(t, result.Run, workflow.PhaseSucceeded)
			f.wantCalls(test.calls...)
			if state, _ := json.Marshal(result.Workflow); string(state) != test.state {
				t.Errorf("context.workflow is %s, want %s: a key whose step did not run keeps its value", state, test.state)
			}
		})
	}
}

func TestTheSchemaIsMigratedWhereTheAPIVersionChanged(t *testing.T) {
	f := helmFlow(t)
	f.steps["helm-migrate-schema"] = "parameters: {...}\n#do: \"refresh\"\nparams: parameters\n"
	f.event.Kind, f.event.Context.TargetAPIVersion = workflow.Upgrade, "v2"
	wantPhase(t, f.pass().Run, workflow.PhaseSucceeded)
	f.wantCalls("refresh", "dispatch")
	got, _ := json.Marshal(f.seen["refresh"][0].Parameters["params"])
	want := `{"fromParams":{"chart":"postgres","version":"12"},"fromVersion":"v1",` +
		`"toParams":{"chart":"postgres","version":"12"},"toVersion":"v2"}`
	if string(got) != want {
		t.Errorf("the migration was asked with %s, want %s", got, want)
	}
}

func TestDeleteRunsStepsBeforeAndAfterTheObjectsAreGone(t *testing.T) {
	f := helmFlow(t)
	f.event.Kind = workflow.Delete
	f.event.Context.Workflow = map[string]any{"releaseName": "db-release"}
	f.answers["dispatch-delete"] = doneAfter(3, nil)
	wantPhase(t, f.finish().Run, workflow.PhaseSucceeded)
	f.wantCalls("notify", "dispatch-delete", "dispatch-delete", "dispatch-delete", "notify")
	params := f.seen["notify"][0].Parameters["params"].(map[string]any)
	if params["message"] != "leaving postgres db-release" {
		t.Errorf("the first message is %q", params["message"])
	}
}

func TestStepsAreSelectedAsTheKEPShowsIt(t *testing.T) {
	const source = `
workflow: create: [
	// always runs
	{ type: "refresh-catalog-metadata" },
	{ type: "set-workflow-state", properties: {
			catalogData: context.steps["refresh-catalog-metadata"].result
		}
	},

	// only runs when properties actually changed
	if context.paramsChanged {
		{ type: "helm-upgrade" }
	}

	{ type: "dispatch" }
]
`
	for name, changed := range map[string]bool{"properties changed": true, "properties are the same": false} {
		t.Run(name, func(t *testing.T) {
			f := newFlow(t, source)
			f.event.Kind, f.event.Context.ParamsChanged = workflow.Upgrade, changed
			f.steps["refresh-catalog-metadata"] = "parameters: {}\n#do: \"refresh\"\n"
			f.answers["refresh"] = returns(map[string]any{"result": map[string]any{"items": 12345678901234567}})
			result := f.pass()
			wantPhase(t, result.Run, workflow.PhaseSucceeded)
			if changed {
				f.wantCalls("refresh", "helm-upgrade", "dispatch")
			} else {
				f.wantCalls("refresh", "dispatch")
			}
			if state, _ := json.Marshal(f.dispatched); string(state) != `{"catalogData":{"items":12345678901234567}}` {
				t.Errorf("dispatch saw context.workflow %s", state)
			}
		})
	}
}
