package offline

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const examples = "../../examples/definitions"

func TestRenderExamples(t *testing.T) {
	for file, want := range map[string][]string{
		"site.yaml":  {"workload Deployment docs", "service Service docs", "owner ConfigMap docs-owner"},
		"batch.yaml": {"output Job nightly"},
	} {
		result, err := bench.Render(t.Context(), Options{Component: filepath.Join(examples, file), Definitions: examples})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		var got []string
		for _, object := range result.Objects {
			got = append(got, object.Name+" "+object.Object.GetKind()+" "+object.Object.GetName())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: objects (-want +got):\n%s", file, diff)
		}
		if len(result.Warnings) > 0 {
			t.Errorf("%s: warnings %q", file, result.Warnings)
		}
	}
}

func TestStatusOfExamples(t *testing.T) {
	site, err := bench.Render(t.Context(), Options{Component: filepath.Join(examples, "site.yaml"), Definitions: examples})
	if err != nil {
		t.Fatal(err)
	}
	got, err := site.Status(t.Context(), filepath.Join(examples, "site-live.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !got.IsHealthy || got.Message != "2 of 2 are ready" || got.Exports["ip"] != "10.0.0.7" || len(got.Objects) != 1 {
		t.Errorf("got %+v", got)
	}
	nothing, err := site.Status(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if nothing.IsHealthy || nothing.Message != "0 of 2 are ready" || nothing.Exports != nil || nothing.Objects != nil {
		t.Errorf("without anything live: got %+v", nothing)
	}

	batch, err := bench.Render(t.Context(), Options{Component: filepath.Join(examples, "batch.yaml"), Definitions: examples})
	if err != nil {
		t.Fatal(err)
	}
	done, err := batch.Status(t.Context(), write(t, t.TempDir(), "live.json", `{"output": {"succeeded": 3}}`))
	if err != nil || !done.IsHealthy || done.Message != "3 of 3 done" {
		t.Errorf("got %+v, %v", done, err)
	}
}

func TestRenderWithContext(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "component/thing.cue", `
parameters: {}
outputs: [{name: "a", value: {apiVersion: "v1", kind: "Thing", of: context.appName, minor: context.clusterVersion.minor, release: context.workflow.release}}]`)
	component := write(t, dir, "c.yaml", "apiVersion: core.wheelwright.dev/v1alpha1\nkind: Component\nmetadata: {name: a}\nspec: {type: thing}\n")
	context := write(t, dir, "context.yaml", "appName: shop\nclusterVersion: {minor: 33}\nworkflow: {release: r1}\n")
	result, err := bench.Render(t.Context(), Options{Component: component, Definitions: dir, Context: context})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(result.Objects[0].Object.Object)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(encoded), `{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a"},"minor":33,"of":"shop","release":"r1"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRenderResolvesDirectives(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "component/thing.cue", `
parameters: {a: int, b: string, c: string, d: string}
outputs: [{name: "a", value: {apiVersion: "v1", kind: "Thing", all: "\(parameters.a) \(parameters.b) \(parameters.c) \(parameters.d)"}}]`)
	component := write(t, dir, "c.yaml", `
apiVersion: core.wheelwright.dev/v1alpha1
kind: Component
metadata: {name: a}
spec:
  type: thing
  properties:
    a: {fromParameter: size}
    b: {fromSource: settings.host}
    c: {fromSource: secret/database.password}
    d: {fromDependency: {component: cache, path: address, default: none}}
`)
	context := write(t, dir, "context.yaml", `
applicationParameters: {size: 3}
sources: {settings: {host: h}, secret/database: {password: p}}
dependencies: {cache: {}}
`)
	result, err := bench.Render(t.Context(), Options{Component: component, Definitions: dir, Context: context})
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Objects[0].Object.Object["all"]; got != "3 h p none" {
		t.Errorf("got %v", got)
	}
	_, err = bench.Render(t.Context(), Options{Component: component, Definitions: dir})
	for _, part := range []string{`property "a"`, `property "b"`, "secret/database.password", `component "cache" exports nothing yet`} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want %s in it", err, part)
		}
	}
}

// Definitions are found in folders, in files and in files of KubeVela's form at any depth.
func TestLibrary(t *testing.T) {
	dir := t.TempDir()
	const output = `output: {apiVersion: "v1", kind: "Thing", file: "%"}`
	for file, source := range map[string]string{
		"component/folder/a.cue":       strings.ReplaceAll(output, "%", "folder"),
		"component/folder/b.cue":       "parameter: {}",
		"component/folder/c_test.cue":  "parameter: 1",
		"component/file.cue":           strings.ReplaceAll(output, "%", "file"),
		"deprecated/component/old.cue": `"ancient": {type: "component"}` + "\ntemplate: {" + strings.ReplaceAll(output, "%", "ancient") + "}\n",
		"deprecated/trait.cue":         `"mark": {type: "trait"}` + "\ntemplate: patch: {}\n",
		"more/trait.cue":               "\"mark-too\": {type: \"trait\"}\ntemplate: {\n\tpatch: {marked: true}\n}\n",
		"twice/a.cue":                  "\"twin\": {type: \"component\"}\ntemplate: {output: {}}\n",
		"twice/b.cue":                  "\"twin\": {type: \"component\"}\ntemplate: {output: {}}\n",
	} {
		write(t, dir, file, source)
	}
	for typ, want := range map[string]string{
		"folder": `"file":"folder"`, "file": `"file":"file"`, "v1/file": `"file":"file"`, "ancient": `"file":"ancient"`,
		"nothing": `there is no component "nothing" in the folder of definitions; there are ancient, file, folder, twin`,
		"twin":    `component "twin" is defined more than once: twice/a.cue, twice/b.cue`,
		"Bad":     `type "Bad" names no definition`,
	} {
		got := renderText(t, write(t, dir, "c.yaml", "apiVersion: core.wheelwright.dev/v1alpha1\nkind: Component\nmetadata: {name: a}\nspec: {type: "+typ+", traits: [{type: mark-too}]}\n"), dir)
		if !strings.Contains(got, want) {
			t.Errorf("type %s: got %s, want %s in it", typ, got, want)
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "component/file.cue", `output: {apiVersion: "v1", kind: "Thing"}`)
	for name, tc := range map[string]struct{ component, want string }{
		"another kind":     {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", "holds a Pod of v1, want a Component of core.wheelwright.dev/v1alpha1"},
		"no YAML":          {"a: [", "is neither YAML nor JSON"},
		"an unknown field": {"apiVersion: core.wheelwright.dev/v1alpha1\nkind: Component\nmetadata: {name: a}\nspec: {type: file, propertys: {}}\n", `unknown field "propertys"`},
		"no name":          {"apiVersion: core.wheelwright.dev/v1alpha1\nkind: Component\nspec: {type: file}\n", "has no metadata.name"},
		"an unknown trait": {"apiVersion: core.wheelwright.dev/v1alpha1\nkind: Component\nmetadata: {name: a}\nspec: {type: file, traits: [{type: none}]}\n", `traits[0]: there is no trait "none"`},
	} {
		if got := renderText(t, write(t, dir, "c.yaml", tc.component), dir); !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %s, want %s in it", name, got, tc.want)
		}
	}
}

// renderText is what a file renders to, or why it does not.
func renderText(t *testing.T, file, definitions string) string {
	result, err := bench.Render(t.Context(), Options{Component: file, Definitions: definitions})
	if err != nil {
		return err.Error()
	}
	encoded, err := json.Marshal(result.Objects[0].Object.Object)
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}

func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
