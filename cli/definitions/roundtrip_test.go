package definitions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/render"
)

// TestAnImportedDefinitionIsTheOneThatItWas makes KubeVela's objects of files, imports them, and renders and judges a
// component with a trait by the files and by what was imported.
func TestAnImportedDefinitionIsTheOneThatItWas(t *testing.T) {
	folder := t.TempDir()
	original := map[string]string{}
	var documents []string
	for place, spec := range map[string]map[string]any{
		"component/queue.cue": {"workload": map[string]any{"definition": map[string]any{"apiVersion": "apps/v1", "kind": "StatefulSet"}}},
		"trait/watched.cue":   {"podDisruptive": true, "appliesToWorkloads": []any{"statefulsets.apps"}},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", place))
		if err != nil {
			t.Fatal(err)
		}
		original[place] = string(text)
		documents = append(documents, velaObject(t, place, string(text), spec))
	}
	results, err := Import(t.Context(), bench, strings.NewReader(strings.Join(documents, "---\n")), ImportOptions{To: folder})
	if err != nil || Failures(results) > 0 {
		t.Fatalf("importing: %v, %+v", err, results)
	}
	imported := map[string]string{}
	for place := range original {
		text, err := os.ReadFile(filepath.Join(folder, place))
		if err != nil {
			t.Fatal(err)
		}
		imported[place] = string(text)
	}
	for _, properties := range []string{
		`{"topics": ["a", "b"], "workers": 2}`, `{"topics": [], "quiet": true}`, `{"topics": ["x"], "workers": 7, "quiet": false}`,
	} {
		want, got := outcome(t, original, properties), outcome(t, imported, properties)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-by the file +imported):\n%s", properties, diff)
		}
	}
	for place := range original {
		if diff := cmp.Diff(header(t, original[place]), header(t, imported[place])); diff != "" {
			t.Errorf("the header of %s (-was +is):\n%s", place, diff)
		}
	}
	whole := outcome(t, original, `{"topics": ["a"], "workers": 2}`)
	if !strings.Contains(whole, "WATCHED_BY") || !strings.Contains(whole, "is no line break") {
		t.Errorf("the definitions do not do what this test is about:\n%s", whole)
	}
	for _, want := range []string{
		"import (\n", `description: #"Works off a queue, "first come, first served"."#`, `"ui-hidden": "true"`, "healthPolicy: #\"\"\"\n",
		"// +usage=Names of the topics",
	} {
		if !strings.Contains(imported["component/queue.cue"], want) {
			t.Errorf("the imported file has no %q:\n%s", want, imported["component/queue.cue"])
		}
	}
}

// velaObject is the object that KubeVela makes of a file, with spec beside template and status.
func velaObject(t *testing.T, place, text string, spec map[string]any) string {
	t.Helper()
	form, head := formOf(t, text), header(t, text)
	kind := map[string]string{"component": componentKind, "trait": traitKind}[filepath.Dir(place)]
	status := map[string]any{"customStatus": head.CustomStatus}
	if policy := head.HealthPolicy; policy != "" {
		status["healthPolicy"] = policy
	}
	spec["status"] = status
	spec["schematic"] = map[string]any{"cue": map[string]any{"template": strings.TrimSpace(string(form.Body))}}
	object, err := yaml.Marshal(map[string]any{
		"apiVersion": "core.oam.dev/v1beta1", "kind": kind, "spec": spec,
		"metadata": map[string]any{
			"name": head.Name, "namespace": "vela-system",
			"annotations": map[string]any{
				descriptionAnnotation: `Works off a queue, "first come, first served".`, "kubectl.kubernetes.io/last-applied-configuration": "{}",
			},
			"labels": map[string]any{"custom.definition.oam.dev/ui-hidden": "true"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(object)
}

func formOf(t *testing.T, text string) cue.Form {
	t.Helper()
	forms, err := cue.ReadForms(definition.Definition{Name: "test", Files: map[string]string{"test.cue": text}})
	if err != nil {
		t.Fatal(err)
	}
	return forms[0]
}

func header(t *testing.T, text string) cue.Header {
	t.Helper()
	found := formOf(t, text).Header
	if found == nil {
		t.Fatalf("there is no header:\n%s", text)
	}
	return *found
}

// outcome renders a component with a trait and judges both over live objects.
func outcome(t *testing.T, files map[string]string, properties string) string {
	t.Helper()
	compiler := render.NewCompiler(cue.Options{})
	of := func(place string) definition.Definition {
		return definition.Definition{Name: "it", APIVersion: "v1", Files: map[string]string{"it.cue": files[place]}}
	}
	component, err := compiler.Component(of("component/queue.cue"))
	if err != nil {
		t.Fatal(err)
	}
	trait, err := compiler.Trait(definition.Trait{Definition: of("trait/watched.cue")})
	if err != nil {
		t.Fatal(err)
	}
	context := cue.Context{Name: "mail", Namespace: "shop"}
	rendering, err := render.Render(render.Request{
		Type: "queue", Component: component, Properties: []byte(properties), Context: context,
		Traits: []render.AppliedTrait{{Type: "watched", Definition: trait, Properties: []byte(`{"by": "me"}`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []any
	for _, object := range rendering.Objects {
		all = append(all, map[string]any{object.Name: object.Object.Object})
	}
	context.Outputs = map[string]map[string]any{"output": {"status": map[string]any{"readyReplicas": 2}}}
	judgement, err := component.Judge(context, []byte(properties))
	if err != nil {
		t.Fatal(err)
	}
	text, err := yaml.Marshal(append(all, judgement))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
