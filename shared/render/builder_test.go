package render

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// given is a trait in a test: its definition's CUE and the properties that the user gives it. Nil properties are none.
type given struct {
	typ        string
	source     string
	properties string
}

// request compiles a component and traits. Everything of the context that definitions of KubeVela v1 use is there.
func request(t testing.TB, source, properties string, traits ...given) Request {
	t.Helper()
	compiler := NewCompiler(cue.Options{})
	component, err := compiler.Component(definition.Definition{Name: "web", Files: map[string]string{"template.cue": source}})
	if err != nil {
		t.Fatalf("compiling the component: %v", err)
	}
	made := Request{
		Type: "web", Component: component, Properties: jsonOrNil(properties),
		Context: cue.Context{Name: "shop-web", Namespace: "shop", AppName: "shop"}.With(map[string]any{"revision": "r1"}),
	}
	for _, trait := range traits {
		if trait.typ == "" {
			trait.typ = "change"
		}
		compiled, err := compiler.Trait(definition.Trait{Definition: definition.Definition{
			Name: trait.typ, Files: map[string]string{"template.cue": trait.source}}})
		if err != nil {
			t.Fatalf("compiling trait %s: %v", trait.typ, err)
		}
		made.Traits = append(made.Traits, AppliedTrait{Type: trait.typ, Definition: compiled, Properties: jsonOrNil(trait.properties)})
	}
	return made
}

func jsonOrNil(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}

// wantObject compares one object of the rendering with JSON.
func wantObject(t testing.TB, rendering *Rendering, output, want string) {
	t.Helper()
	for _, object := range rendering.Objects {
		if object.Name != output {
			continue
		}
		got, err := json.Marshal(object.Object.Object)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decode(t, want), decode(t, string(got))); diff != "" {
			t.Errorf("output %s (-want +got):\n%s", output, diff)
		}
		return
	}
	t.Errorf("there is no output %s", output)
}

func decode(t testing.TB, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("decoding %s: %v", text, err)
	}
	return value
}

// wantRefusal checks that err is a *cue.Error that says all parts.
func wantRefusal(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("rendered, want a refusal that says %q", parts)
		return
	}
	if fault := (*cue.Error)(nil); !errors.As(err, &fault) {
		t.Errorf("got %T, want a *cue.Error: %v", err, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the refusal does not say %q: %v", part, err)
		}
	}
}
