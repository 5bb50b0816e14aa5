package workflow_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"wheelwright.dev/wheelwright/agent/workflow"
)

// engineSteps are the step definitions that come with kubevela/workflow, read from its module.
func engineSteps(t *testing.T) map[string]string {
	t.Helper()
	module, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/kubevela/workflow").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(strings.TrimSpace(string(module)), "charts", "vela-workflow", "templates", "definitions")
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d definitions are in %s: %v", len(files), folder, err)
	}
	steps := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		plain := strings.ReplaceAll(string(text), `{{ include "systemDefinitionNamespace" . }}`, "vela-system")
		var object struct {
			Spec struct {
				Schematic struct {
					CUE struct {
						Template string `json:"template"`
					} `json:"cue"`
				} `json:"schematic"`
			} `json:"spec"`
		}
		if err := yaml.Unmarshal([]byte(plain), &object); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		steps[strings.TrimSuffix(filepath.Base(file), ".yaml")] = object.Spec.Schematic.CUE.Template
	}
	return steps
}

func TestTheStepsThatComeWithTheEngineRunUnchanged(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"ok": true}`) }))
	defer server.Close()
	for name, test := range map[string]struct {
		steps []string
		want  map[string]any
	}{
		"apply-deployment": {
			[]string{`{type: "apply-deployment", properties: image: "x"}`}, nil,
		},
		"apply-object and read-object": {
			[]string{
				`{type: "apply-object", properties: value: {
					apiVersion: "v1", kind: "ConfigMap", metadata: {name: "made", namespace: context.namespace}, data: a: "b"}}`,
				`{type: "read-object", properties: {apiVersion: "v1", kind: "ConfigMap", name: "made", namespace: context.namespace},
					outputs: [{name: "a", valueFrom: "output.$returns.value.data.a"}]}`,
				`{type: "set-workflow-state", inputs: [{from: "a", parameterKey: "a"}]}`,
			}, map[string]any{"a": "b"},
		},
		"notification": {
			[]string{fmt.Sprintf(`{type: "notification", properties: slack: {url: value: %q, message: text: "done"}}`, server.URL)}, nil,
		},
		"request": {
			[]string{
				fmt.Sprintf(`{type: "request", properties: url: %q, outputs: [{name: "ok", valueFrom: "response.ok"}]}`, server.URL),
				`{type: "set-workflow-state", inputs: [{from: "ok", parameterKey: "ok"}]}`,
			}, map[string]any{"ok": true},
		},
		"export2config and export2secret": {
			[]string{
				`{type: "export2config", properties: {configName: "c", namespace: context.namespace, data: a: "b"}}`,
				`{type: "export2secret", properties: {secretName: "s", namespace: context.namespace, data: a: "b"}}`,
			}, nil,
		},
		"print-message-in-status": {[]string{`{type: "print-message-in-status", properties: message: "hello"}`}, nil},
		"clean-jobs":              {[]string{`{type: "clean-jobs", properties: {namespace: context.namespace, labelselector: a: "b"}}`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := jobFlow(t, block(test.steps...))
			f.steps = engineSteps(t)
			result := f.await()
			wantPhase(t, result.Run, workflow.PhaseSucceeded)
			for key, want := range test.want {
				if result.Workflow[key] != want {
					t.Errorf("context.workflow.%s is %v, want %v", key, result.Workflow[key], want)
				}
			}
			if name == "export2config and export2secret" {
				secret := &corev1.Secret{}
				if err := spokeClient.Get(t.Context(), client.ObjectKey{Namespace: f.event.Component.Namespace, Name: "s"}, secret); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestTheStepsThatComeWithTheEngineAreSound shows that what is refused before the engine sees it is never one of its own
// definitions, but for what it is given or for what only KubeVela has.
func TestTheStepsThatComeWithTheEngineAreSound(t *testing.T) {
	for name, text := range engineSteps(t) {
		if name == "step-group" || name == "suspend" { // built in
			continue
		}
		f := newFlow(t, block(fmt.Sprintf("{type: %q}", name)))
		f.steps[name] = text
		message := f.pass().Run.Message
		for _, fault := range []string{"reference", "undefined field: #", "there is no", "broke down"} {
			if strings.Contains(message, fault) {
				t.Errorf("%s: %s", name, message)
			}
		}
	}
}
