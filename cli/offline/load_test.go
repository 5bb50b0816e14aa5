package offline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoadReadsEveryKindAndForm(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "component/a-v2/a.cue", good)
	write(t, dir, "component/b.cue", good)
	write(t, dir, "trait/c/c.cue", "outputs: []")
	write(t, dir, "trait/c/definition.yaml", "phase: post\nappliesTo: [a-v2]\n")
	write(t, dir, "step/d.cue", "import \"vela/op\"\nd: op.#Suspend")
	write(t, dir, "kubevela/e.cue", "\"e-v3\": {type: \"workflow-step\"}\ntemplate: {}")
	entries, problems, err := bench.Load(t.Context(), dir)
	if err != nil || len(problems) > 0 {
		t.Fatalf("got %v, %v", problems, err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Kind+" "+entry.Name+" "+entry.APIVersion+" "+string(entry.Phase)+" "+entry.Place)
	}
	want := []string{
		"component a-v2 v2  component/a-v2", "component b v1  component/b.cue", "step e-v3 v3  kubevela/e.cue",
		"step d v1  step/d.cue", "trait c v1 post trait/c",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What Vet finds beside what keeps a definition from rendering is no reason not to hand it on.
func TestLoadFindsWhatKeepsFromRendering(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "component/unread.cue", "parameters: {a: int}\noutputs: [{name: \"a\", value: {apiVersion: \"v1\", kind: \"T\"}}]")
	if entries, problems, err := bench.Load(t.Context(), dir); err != nil || len(problems) > 0 || len(entries) != 1 {
		t.Errorf("got %+v, %v, %v", entries, problems, err)
	}
	if problems, _, err := bench.Vet(t.Context(), dir); err != nil || len(problems) != 1 {
		t.Errorf("Vet: got %v, %v", problems, err)
	}
	write(t, dir, "component/conflict.cue", good+"message: 1 & \"x\"\n")
	write(t, dir, "trait/t.cue", "phase: \"soon\"")
	_, problems, err := bench.Load(t.Context(), dir)
	var places []string
	for _, problem := range problems {
		places = append(places, problem.Position)
	}
	if diff := cmp.Diff([]string{"component/conflict.cue:8:10", "trait/t.cue:1:1"}, places); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, _, err := bench.Load(t.Context(), filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there was loaded")
	}
}

// What definition.yaml says has its effect without a cluster too.
func TestRenderKeepsToTheMetadata(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "component/web/a.cue",
		"parameters: size: string\noutputs: [{name: \"a\", value: {apiVersion: \"v1\", kind: \"T\", size: parameters.size}}]")
	write(t, dir, "component/web/definition.yaml", "apiVersion: v2")
	write(t, dir, "trait/small/a.cue", "patch: properties: size: \"s\"")
	write(t, dir, "trait/small/definition.yaml", "phase: pre\nappliesTo: [web]")
	component := func(typ string) string {
		return write(t, dir, "c.yaml",
			"apiVersion: core.wheelwright.dev/v1alpha1\nkind: Component\nmetadata: {name: a}\nspec: {type: "+typ+", traits: [{type: small}]}\n")
	}
	for _, typ := range []string{"web", "v2/web"} {
		result, err := bench.Render(t.Context(), Options{Component: component(typ), Definitions: dir})
		if err != nil || result.Objects[0].Object.Object["size"] != "s" {
			t.Errorf("%s: %v", typ, err)
		}
	}
	_, err := bench.Render(t.Context(), Options{Component: component("v3/web"), Definitions: dir})
	if want := "the definition of web in the folder is of API line v2, not v3"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := os.Rename(filepath.Join(dir, "component", "web"), filepath.Join(dir, "component", "other")); err != nil {
		t.Fatal(err)
	}
	_, err = bench.Render(t.Context(), Options{Component: component("other"), Definitions: dir})
	if want := "traits[0] small does not apply to components of type other: it is for web"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// KubeVela's own library is two halves side by side. Where both define the same the present one counts.
func TestKubeVelaLibraryLayout(t *testing.T) {
	dir := t.TempDir()
	vela := func(file, name, from string) {
		write(t, dir, file, "\""+name+"\": {type: \"component\", attributes: workload: type: \"autodetects.core.oam.dev\"}\n"+
			"template: {\n\toutput: {apiVersion: \"v1\", kind: \"T\", from: \""+from+"\"}\n\tparameter: {}\n}\n")
	}
	vela("internal/component/both.cue", "both", "internal")
	vela("deprecated/component/both.cue", "both", "deprecated")
	vela("deprecated/component/old.cue", "old", "deprecated")
	vela("registry/both.cue", "both", "registry")
	for _, tc := range []struct{ folder, typ, want string }{
		{".", "both", "internal"}, {".", "old", "deprecated"}, {"internal", "both", "internal"}, {"internal", "old", "deprecated"},
	} {
		component := write(t, dir, "c.yaml", "apiVersion: core.wheelwright.dev/v1alpha1\nkind: Component\nmetadata: {name: a}\nspec: {type: "+tc.typ+"}\n")
		result, err := bench.Render(t.Context(), Options{Component: component, Definitions: filepath.Join(dir, tc.folder)})
		if err != nil || result.Objects[0].Object.Object["from"] != tc.want {
			t.Errorf("%s of %s: got %v, %v, want that of %s", tc.typ, tc.folder, result, err, tc.want)
		}
	}
	component := write(t, dir, "c.yaml", "apiVersion: core.wheelwright.dev/v1alpha1\nkind: Component\nmetadata: {name: a}\nspec: {type: none}\n")
	if _, err := bench.Render(t.Context(), Options{Component: component, Definitions: filepath.Join(dir, "internal")}); err == nil || !strings.Contains(err.Error(), `there is no component "none"`) {
		t.Errorf("got %v", err)
	}
}

// What is no file, or has no name that a cluster takes, or says nothing for a slip, is found and never waited for.
func TestVetFindsWhatIsNoDefinition(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "component/Upper/a.cue", good)
	write(t, dir, "component/slip/a.cue", good+"isHealty: true\nexport: {a: 1}\nhelper: 1\nmessage: \"\\(helper)\"\n")
	write(t, dir, "trait/slip.cue", "ptach: outputs: []")
	write(t, dir, "component/pipe/a.cue", good)
	if err := syscall.Mkfifo(filepath.Join(dir, "component/pipe/b.cue"), 0o600); err != nil {
		t.Fatal(err)
	}
	problems, _, err := bench.Vet(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, problem := range problems {
		all = append(all, problem.String())
	}
	for _, want := range []string{
		`component/Upper: "Upper" cannot be the name of a definition`, "component/pipe/b.cue is no regular file",
		"isHealty means nothing here: did you mean isHealthy?", "export means nothing here: did you mean exports?", "ptach means nothing here: did you mean patch?",
	} {
		if !strings.Contains(strings.Join(all, "\n"), want) {
			t.Errorf("%s is not found:\n%s", want, strings.Join(all, "\n"))
		}
	}
	if len(problems) > 6 {
		t.Errorf("found too much:\n%s", strings.Join(all, "\n"))
	}
	// Nobody writes to this one.
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := bench.Render(ctx, Options{Component: fifo, Definitions: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it is given up", err)
	}
}

// Input of the wrong type is said in words of the file, not of the program.
func TestWrongTypesAreSaidInWords(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "component/a.cue", good)
	const head = "apiVersion: core.wheelwright.dev/v1alpha1\nkind: Component\nmetadata: {name: a}\n"
	for content, want := range map[string]string{
		head + "spec: {type: 3}":               "spec.type is a number, want a text",
		head + "spec: {type: a, traits: a}":    "spec.traits is a text, want a list",
		"[1]":                                  "it is a list, want a map",
		head + "spec: {type: a}\n---\n" + head: "it holds more than one document",
		"apiVersion: v1\nkind: List\nitems: 3": "items",
	} {
		file := write(t, dir, "c.yaml", content)
		if _, err := bench.Render(t.Context(), Options{Component: file, Definitions: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// What no parameters can make good is found by rendering with the least of them.
func TestVetRenders(t *testing.T) {
	const object = `value: {apiVersion: "v1", kind: "T"}`
	for outputs, want := range map[string]string{
		`[{name: "m", nmae: 1, ` + object + `}]`:                                       "nmae",
		`[{name: "m", value: null}]`:                                                   "value must be a Kubernetes object",
		`"\(parameters.image)"`:                                                        "outputs must be a list",
		`[{name: "../x", ` + object + `}]`:                                             `output name "../x"`,
		`[{name: "m", value: {apiVersion: "v1", kind: "T", metadata: "x"}}]`:           "metadata must be a map",
		`[{name: "m", value: {apiVersion: "v1", kind: "T", n: 99999999999999999999}}]`: "does not fit into the 64 bits",
		`[{name: "m", ` + object + `}, {name: "n", ` + object + `}]`:                   "is rendered already",
		`[{name: "m", type: "Component", ` + object + `}]`:                             "output type Component is not known",
		`[{name: "m", type: "component", value: {type: 3}}]`:                           "type",
		`[{name: "m", value: {apiVersion: "v1", kind: "T", image: parameters.image}}]`: "",
	} {
		dir := t.TempDir()
		write(t, dir, "component/a.cue", "parameters: {image: string, port: int & >80, mode: \"a\" | \"b\", list: [string, ...string]}\n"+
			"#used: parameters.port + len(parameters.mode) + len(parameters.list) + len(parameters.image)\noutputs: "+outputs)
		problems, _, err := bench.Vet(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, problem := range problems {
			all = append(all, problem.String())
		}
		if text := strings.Join(all, "\n"); want == "" && text != "" || !strings.Contains(text, want) {
			t.Errorf("%s: found %q, want %q", outputs, text, want)
		}
	}
}
