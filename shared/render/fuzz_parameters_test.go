package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/test/fuzzing"
)

// Any bytes as properties, over definitions of both shapes whose parameters have all that a schema can have.
func FuzzParameters(f *testing.F) {
	var components []*Component
	seeds(f, func(text string) {
		component, err := NewCompiler(cue.Options{}).Component(defined("web", text))
		if err != nil {
			f.Fatal(err)
		}
		components = append(components, component)
	}, "testdata/parameters/*.cue")
	seeds(f, func(text string) {
		for i := range components {
			f.Add(uint8(i), []byte(text))
		}
	}, "testdata/parameters/*.json")
	f.Fuzz(func(t *testing.T, which uint8, properties []byte) {
		fuzzing.Within(t, func() {
			component := components[int(which)%len(components)]
			made := Request{Type: "web", Component: component, Properties: properties, Context: fuzzContext()}
			rendering := fuzzed{Request: made, input: []string{string(properties)}}.check(t)
			err := component.CheckParameters(properties)
			if err != nil {
				fuzzing.Refused(t, err, string(properties))
			}
			if checked := Check(made); textOf(checked) != textOf(err) {
				t.Errorf("the hub and the spoke do not agree:\n%v\n%v", checked, err)
			}
			if rendering == nil {
				return
			}
			// One of KubeVela's shape may render without what is missing, where nothing needs it.
			if err != nil && component.kep != nil {
				t.Errorf("rendered with properties that are refused: %v", err)
			}
			checkEcho(t, properties, rendering)
			checkUnknown(t, made)
		})
	})
}

// checkUnknown adds a parameter that nobody declares: the KEP's shape refuses it, KubeVela's accepts it and says so.
func checkUnknown(t *testing.T, made Request) {
	t.Helper()
	given := map[string]json.RawMessage{}
	if trimmed := bytes.TrimSpace(made.Properties); len(trimmed) > 0 {
		if err := json.Unmarshal(trimmed, &given); err != nil {
			t.Fatal(err)
		}
	}
	if given == nil {
		given = map[string]json.RawMessage{}
	}
	given["nobodyDeclaredThis"] = json.RawMessage("1")
	made.Properties = []byte(encode(t, given))
	if made.Component.kep == nil {
		if unknown := strings.Join(made.Component.Unknown(made.Properties), " "); !strings.Contains(unknown, `"nobodyDeclaredThis"`) {
			t.Errorf("an unknown parameter is not named: %s", unknown)
		}
		return
	}
	if _, err := Render(made); err == nil || !strings.Contains(err.Error(), `unknown parameter "nobodyDeclaredThis"`) {
		t.Errorf("an unknown parameter is not refused: %v", err)
	}
}
