package helm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/helm"
	"wheelwright.dev/wheelwright/agent/notify"
	"wheelwright.dev/wheelwright/agent/workflow"
	"wheelwright.dev/wheelwright/fleet/apply"
	"wheelwright.dev/wheelwright/manifests"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/definition"
)

// shipped are the step definitions that come with the agent, and the actions under them.
type shipped struct {
	t       *testing.T
	steps   map[string]definition.Definition
	actions map[string]workflow.Action
}

func newShipped(t *testing.T, s *spoke) *shipped {
	t.Helper()
	file, err := manifests.FS.Open("agent/steps.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	result := &shipped{t: t, steps: map[string]definition.Definition{}, actions: s.helm.Actions()}
	maps.Copy(result.actions, notify.New(s.pool, notify.Options{}).Actions())
	decoder := utilyaml.NewYAMLOrJSONDecoder(file, 4096)
	for {
		step := &corev1alpha1.WorkflowStepDefinition{}
		if err := decoder.Decode(step); errors.Is(err, io.EOF) {
			return result
		} else if err != nil {
			t.Fatal(err)
		}
		result.steps[step.Name] = definition.Definition{Name: step.Name, APIVersion: "v1", Files: step.Spec.Files}
	}
}

func (s *shipped) LoadStep(_ context.Context, name string) (definition.Definition, error) {
	if found, ok := s.steps[name]; ok {
		return found, nil
	}
	return definition.Definition{}, fmt.Errorf("there is no step %s", name)
}

// The built-in steps do nothing here.
func (s *shipped) Dispatch(context.Context, map[string]any) (workflow.Progress, error) {
	return workflow.Progress{Done: true}, nil
}

func (s *shipped) DispatchDelete(context.Context) (workflow.Progress, error) {
	return workflow.Progress{Done: true}, nil
}

func (s *shipped) Healthy(context.Context, []string) (workflow.Progress, error) {
	return workflow.Progress{Done: true}, nil
}

func (s *shipped) Outputs(context.Context) (map[string]any, error) { return nil, nil }

// run makes passes, each of a new engine, until the event has ended.
func (s *shipped) run(on *spoke, event workflow.Event) workflow.Result {
	s.t.Helper()
	event.Component, event.Client, event.Config, event.Actions, event.Loader = on.component, spokeClient, on.config, s, s
	var result workflow.Result
	on.eventually(event.ID+" ends", func() string {
		engine, err := workflow.New(workflow.Options{Actions: s.actions})
		if err != nil {
			s.t.Fatal(err)
		}
		if result, err = engine.Run(s.t.Context(), event); err != nil {
			s.t.Fatal(err)
		}
		event.Run = &result.Run
		if !result.Run.Finished() {
			encoded, _ := json.Marshal(result.Run)
			return string(encoded)
		}
		return ""
	})
	return result
}

// example is the component definition under examples/helm-chart.
func example(t *testing.T) definition.Definition {
	t.Helper()
	read, err := definition.FromDirectory(os.DirFS("../../examples/helm-chart/definitions/component"), "helm-chart")
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func (s *shipped) wantSucceeded(result workflow.Result, steps ...string) {
	s.t.Helper()
	var names []string
	for _, step := range result.Run.Steps {
		names = append(names, fmt.Sprintf("%s %s", step.Name, step.Phase))
		if step.Phase == workflow.StepFailed {
			s.t.Errorf("%s: %s", step.Name, step.Message)
		}
	}
	for i := range steps {
		steps[i] += " " + string(workflow.StepSucceeded)
	}
	if !slices.Equal(names, steps) {
		s.t.Fatalf("the steps are %q, want %q", names, steps)
	}
}

func TestTheExampleLivesThroughAllOfItsEvents(t *testing.T) {
	s, oci := newSpoke(t), newRegistry(t, "", "")
	made, err := loader.Load("../../examples/helm-chart/chart")
	if err != nil {
		t.Fatal(err)
	}
	oci.chart = "oci://" + oci.host + "/charts/hello"
	oci.push(t, made)
	s.withPlainHTTP(oci.host)
	steps := newShipped(t, s)
	parameters := func(replicas int64) map[string]any {
		return map[string]any{"chart": oci.chart, "version": "1.0.0", "values": map[string]any{"replicas": replicas}}
	}
	event := workflow.Event{ID: "create", Kind: workflow.Create, Definition: example(t), Context: workflow.Context{
		TargetParams: parameters(1), CurrentParams: parameters(1), TargetAPIVersion: "v1", CurrentAPIVersion: "v1",
	}}
	result := steps.run(s, event)
	steps.wantSucceeded(result, "helm-install", "set-workflow-state", "dispatch")
	if kinds, _ := json.Marshal(result.Workflow["resources"]); result.Workflow["releaseName"] != "db" ||
		!strings.Contains(string(kinds), `"kind":"Deployment"`) {
		t.Errorf("context.workflow is %v", result.Workflow)
	}

	event.ID, event.Kind, event.Context.ParamsChanged = "upgrade", workflow.Upgrade, true
	event.Context.TargetParams, event.Context.TargetAPIVersion, event.Context.Workflow = parameters(3), "v2", result.Workflow
	steps.wantSucceeded(steps.run(s, event), "helm-migrate-schema", "helm-upgrade", "set-workflow-state", "dispatch")
	deployment := &appsv1.Deployment{}
	if err := spokeClient.Get(t.Context(), client.ObjectKey{Namespace: s.component.Namespace, Name: "db"}, deployment); err != nil {
		t.Fatal(err)
	}
	if *deployment.Spec.Replicas != 3 {
		t.Errorf("the upgrade makes %d replicas", *deployment.Spec.Replicas)
	}

	event.ID, event.Kind = "delete", workflow.Delete
	steps.wantSucceeded(steps.run(s, event), "helm-uninstall", "dispatch-delete", "notify")
	s.wantRecords("db")
}

func TestEveryParameterOfAShippedStepReachesItsAction(t *testing.T) {
	const properties = `chart: "none", repository: "https://example.invalid", version: "1.0.0", credentialsSecretRef: {name: "a"},
		caSecretRef: {name: "a"}, insecureSkipTLSVerify: true, release: "other", timeout: "1m"`
	const deploy = properties + `, values: {deep: {er: 1}}, wait: true, rollbackOnFailure: true, skipCRDs: true, disableHooks: true,
		maxHistory: 3, takeOver: true`
	s := newSpoke(t)
	for name, test := range map[string]struct{ properties, want string }{
		helm.Install:       {deploy, `credentialsSecretRef`},
		helm.Upgrade:       {deploy + ", install: true", `credentialsSecretRef`},
		helm.MigrateSchema: {properties + `, fromVersion: "v1", toVersion: "v2", fromParams: {}, toParams: {}`, "credentialsSecretRef"},
		helm.Uninstall:     {`release: "other", timeout: "1m", disableHooks: true, keepHistory: true, takeOver: true`, ""},
		notify.Name:        {`message: "x", urlSecretRef: {name: "a", key: "b"}, headers: {a: "b"}, body: {c: 1}`, "urlSecretRef"},
	} {
		t.Run(name, func(t *testing.T) {
			steps := newShipped(t, s)
			source := fmt.Sprintf("workflow: create: [{type: %q, retries: 0, properties: {%s}}]", name, test.properties)
			result := steps.run(s, workflow.Event{ID: name, Kind: workflow.Create, Definition: definition.Definition{
				Name: "x", Files: map[string]string{"workflow.cue": source},
			}})
			if step := result.Run.Steps[0]; !strings.Contains(step.Message, test.want) || strings.Contains(step.Message, "parameter") {
				t.Errorf("it ends with %s %q, want %q: all parameters are known, and there is no Secret",
					step.Phase, step.Message, test.want)
			}
		})
	}
}

func TestTheChartsFilesInTheExampleAreAChart(t *testing.T) {
	s := newSpoke(t)
	folder, err := filepath.Abs("../../examples/helm-chart")
	if err != nil {
		t.Fatal(err)
	}
	s.options.ChartDirectories = []string{folder}
	s.restart()
	returns := s.must(helm.Install, "create", map[string]any{"chart": "chart", "wait": true})
	if returns["notes"] != "db serves 1 copies of its page.\n" || len(returns["resources"].([]any)) != 3 {
		t.Errorf("it returns %v", returns)
	}
	s.must(helm.Uninstall, "delete", nil)
}

func TestTheStepsAreAppliedRightAfterTheCRDOfTheirKind(t *testing.T) {
	var objects []*unstructured.Unstructured
	for _, name := range []string{"crds/core.wheelwright.dev_workflowstepdefinitions.yaml", "agent/steps.yaml"} {
		file, err := manifests.FS.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		some, err := apply.Decode(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, some...)
	}
	if err := apply.Objects(t.Context(), spokeConfig, objects); err != nil {
		t.Fatal(err)
	}
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(corev1alpha1.GroupVersion.WithKind("WorkflowStepDefinition"))
	if err := spokeClient.Get(t.Context(), client.ObjectKey{Name: helm.Install}, found); err != nil {
		t.Error(err)
	}
}
