package render

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/test/fuzzing"
)

// secondFile parts the text of a definition into two files.
const secondFile = "\n---\n"

func filesOf(source string) map[string]string {
	first, second, both := strings.Cut(source, secondFile)
	files := map[string]string{"template.cue": first}
	if both {
		files["health.cue"] = second
	}
	return files
}

// seeds adds what lies in files as seeds.
func seeds(f *testing.F, add func(text string), patterns ...string) {
	f.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds at %s: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			add(string(text))
		}
	}
}

func fuzzContext() cue.Context {
	return cue.Context{Name: "shop-web", Namespace: "shop", AppName: "shop", ComponentName: "web"}.With(map[string]any{"revision": "r1"})
}

// Any text as the definition of a component.
func FuzzDefinition(f *testing.F) {
	seeds(f, func(text string) { f.Add(text) }, "testdata/parameters/*.cue", "testdata/definitions/*.cue",
		"../../examples/definitions/component/*.cue", "../../examples/definitions/component/*/template.cue")
	for _, source := range []string{shop, shaped, pod, "", "parameters: {\n---\n}", "outputs: [{name: \"a\", value: {}}]", "output: {apiVersion: \"v1\", kind: \"A\", metadata: 1}"} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		fuzzing.Within(t, func() {
			cue.FindHeader([]byte(source))
			compiler := NewCompiler(cue.Options{})
			component, err := compiler.Component(defined("web", source))
			_, again := compiler.Component(defined("web", source))
			if textOf(err) != textOf(again) {
				t.Errorf("compiled twice:\n%v\n%v", err, again)
			}
			if err != nil {
				fuzzing.Refused(t, err, source)
				return
			}
			for _, properties := range []string{"", `{"image":"a:1","port":80,"name":"x"}`} {
				made := Request{Type: "web", Component: component, Properties: jsonOrNil(properties), Context: fuzzContext()}
				fuzzed{Request: made, input: []string{source, properties}}.check(t)
				if err := component.CheckParameters(made.Properties); err != nil {
					fuzzing.Refused(t, err, source)
				}
				component.Unknown(made.Properties)
			}
		})
	})
}

// Any text as the definition of a trait and any bytes as its properties, on components of both shapes.
func FuzzTrait(f *testing.F) {
	seeds(f, func(text string) {
		f.Add(text, `{"image":"a:1","name":"side","size":"small","team":"t","title":"x","n":1}`)
	}, "testdata/traits/*.cue", "../../examples/definitions/trait/*.cue", "../../examples/definitions/trait/*/*.cue")
	compiler := NewCompiler(cue.Options{})
	var components []*Component
	for _, source := range []string{shop, pod} {
		component, err := compiler.Component(defined("web", source))
		if err != nil {
			f.Fatal(err)
		}
		components = append(components, component)
	}
	f.Fuzz(func(t *testing.T, source, properties string) {
		fuzzing.Within(t, func() {
			trait, err := NewCompiler(cue.Options{}).Trait(definition.Trait{Definition: defined("change", source)})
			if err != nil {
				fuzzing.Refused(t, err, source)
				return
			}
			given := []AppliedTrait{{Type: "change", Definition: trait, Properties: jsonOrNil(properties)}}
			for i, own := range []string{`{"image":"a"}`, `{}`} {
				made := Request{Type: "site", Component: components[i], Properties: []byte(own), Traits: given, Context: fuzzContext()}
				if err := Check(made); err != nil {
					fuzzing.Refused(t, err, source, properties)
				}
				fuzzed{Request: made, input: []string{source, properties}}.check(t)
			}
			trait.Unknown([]byte(properties))
		})
	})
}
