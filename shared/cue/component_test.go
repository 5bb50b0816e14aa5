package cue

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestComponentOutputs(t *testing.T) {
	context := Context{Name: "web", Namespace: "shop"}
	for name, value := range map[string]string{
		"as KEP-2.1 spells it":  `{type: "v1/postgres", properties: {size: parameters.size}, traits: [{type: "scaler", properties: n: 2}]}`,
		"as KEP-2.10 spells it": `{definition: "v1/postgres", parameters: {size: context.parameters.size}, traits: [{type: "scaler", properties: n: 2}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			template := compile(t, `
parameters: size: *3 | int
outputs: [{name: "db", type: "component", value: `+value+`, statusPaths: [{name: "host", path: ".status.exports.host"}]}]`)
			outputs, err := template.Render(context, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]any{
				"apiVersion": "core.wheelwright.dev/v1alpha1", "kind": "Component",
				"metadata": map[string]any{"name": "web-db", "namespace": "shop"},
				"spec": map[string]any{
					"type": "v1/postgres", "properties": map[string]any{"size": int64(3)},
					"traits": []any{map[string]any{"type": "scaler", "properties": map[string]any{"n": int64(2)}}},
				},
			}
			if diff := cmp.Diff(want, outputs[0].Object.Object); diff != "" {
				t.Errorf("Component (-want +got):\n%s", diff)
			}
			if outputs[0].Type != OutputTypeComponent || len(outputs[0].StatusPaths) != 1 {
				t.Errorf("got %+v", outputs[0])
			}
		})
	}
}

func TestComponentOutputsAreRefused(t *testing.T) {
	const all = "a component has type, properties and traits, or definition and parameters"
	for value, want := range map[string]string{
		`{type: "a", propertis: {}}`:                        "outputs[0].value.propertis: unknown field propertis: did you mean properties? " + all,
		`{type: "a", revision: "r1"}`:                       "outputs[0].value.revision: unknown field revision: " + all,
		`{type: "a", definitionSnapshot: {}}`:               "unknown field definitionSnapshot: a component has",
		`{type: "a", dependsOn: []}`:                        "outputs[0].value.dependsOn: unknown field dependsOn: ",
		`{type: "a", definition: "b"}`:                      "outputs[0].value.type: type says the same as another field: keep one of them; ",
		`{properties: {}}`:                                  "outputs[0].value: a component needs a type, the name of its definition, a string",
		`{type: 3}`:                                         "a component needs a type",
		`{type: "Not A Name"}`:                              `type "Not A Name" names no definition`,
		`{type: "a", properties: []}`:                       "properties must be a map of parameters",
		`{type: "a", traits: {}}`:                           "traits must be a list of {type, properties}",
		`{type: "a", traits: [3]}`:                          "outputs[0].value.traits[0]: a trait must be a map",
		`{type: "a", traits: [{type: "b", propertie: {}}]}`: "outputs[0].value.traits[0].propertie: unknown field propertie: did you mean properties? a trait has type and properties",
		`{type: "a", traits: [{properties: {}}]}`:           "outputs[0].value.traits[0]: a trait needs a type",
		`3`: "value must be a map: which component to make",
	} {
		_, err := compile(t, "parameters: {}\noutputs: [{name: \"db\", type: \"component\", value: "+value+"}]").Render(Context{Name: "web"}, nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "webservice/template.cue:2:") {
			t.Errorf("%s: got %v, want %q with its place", value, err, want)
		}
	}
}

// Within a field called parameters, the name means the field.
func TestParametersOfAComponentAreNotTheDefinitions(t *testing.T) {
	_, err := NewCompiler(Options{}).Compile(define(`
parameters: size: int
outputs: [{name: "db", type: "component", value: {definition: "postgres", parameters: {size: parameters.size}}}]`))
	wantProblems(t, err, []string{
		`webservice/template.cue:3:75: parameters: within parameters: {...} the name parameters means that field itself: write context.parameters, or properties: {...}`})
}

func TestChildName(t *testing.T) {
	long := strings.Repeat("a", 40)
	for _, tc := range []struct{ parent, output, want string }{
		{"web", "db", "web-db"},
		{"web", "DB", "web-db"},
		{"web", "my_db", "web-my-db-"},
		{"web", "v1.0", "web-v1.0"},
		{long, strings.Repeat("b", 22), long + "-" + strings.Repeat("b", 22)},
		{long, strings.Repeat("b", 23), long + "-" + strings.Repeat("b", 13) + "-"},
	} {
		got := childName(tc.parent, tc.output)
		hashed := strings.HasSuffix(tc.want, "-")
		if got != tc.want && (!hashed || !strings.HasPrefix(got, tc.want)) || len(got) > MaxComponentName || hashed != (len(got) == len(tc.want)+8) {
			t.Errorf("%s and %s: got %s, want %s", tc.parent, tc.output, got, tc.want)
		}
	}
	if childName(long, strings.Repeat("b", 30)) == childName(long, strings.Repeat("b", 31)) {
		t.Error("two outputs have one name")
	}
}
