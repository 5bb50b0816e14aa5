package cue

import (
	"strings"
	"testing"

	"wheelwright.dev/wheelwright/shared/definition"
)

func readOne(t *testing.T, source string) Form {
	t.Helper()
	forms, err := ReadForms(definition.Definition{Name: "x", Files: map[string]string{"x.cue": source}})
	if err != nil {
		t.Fatal(err)
	}
	return forms[0]
}

func TestReadForms(t *testing.T) {
	const source = "import \"strings\"\n\n// about it\n\"x-y\": {\n\ttype: \"component\"\n\tattributes: status: healthPolicy: \"isHealth: \" + \"true\"\n}\ntemplate: {\n\toutput: {a: strings.ToUpper(\"ä\")}\n}\n"
	form := readOne(t, source)
	if form.Header == nil || form.Header.Name != "x-y" || form.Header.Type != "component" || form.Header.HealthPolicy != "isHealth: true" {
		t.Errorf("got header %+v", form.Header)
	}
	if len(form.Body) != len(source) || strings.Count(string(form.Body), "\n") != strings.Count(source, "\n") {
		t.Error("the body has other places than the file")
	}
	field := fieldNamed(form.Syntax, "output")
	if field == nil {
		t.Fatalf("output is not at the top level:\n%s", form.Body)
	}
	if got := formatPosition(field.Pos()); got != "x/x.cue:9:2" {
		t.Errorf("output is at %s", got)
	}

	if nested := readOne(t, "template: {\n\toutputs: []\n}\nisHealthy: true\n"); fieldNamed(nested.Syntax, "outputs") == nil || nested.Header != nil {
		t.Errorf("the nested form was not opened:\n%s", nested.Body)
	}
	if flat := readOne(t, "outputs: []\ntemplate: {a: 1}\n"); structField(flat.Syntax, "template") == nil {
		t.Error("a field named template was opened, though outputs are at the top level")
	}
	if _, err := ReadForms(definition.Definition{Name: "x", Files: map[string]string{"a.cue": "a: [", "b.cue": "}"}}); err == nil || !strings.Contains(err.Error(), "x/a.cue") || !strings.Contains(err.Error(), "x/b.cue") {
		t.Errorf("got %v, want the errors of both files", err)
	}
}

func TestShapes(t *testing.T) {
	for source, want := range map[string]struct{ component, trait Shape }{
		"outputs: []":           {KEP, KEP},
		"output: {}":            {V1, KEP},
		"outputs: {}":           {KEP, V1},
		"patch: {}":             {KEP, V1},
		"patch: parameter":      {KEP, V1},
		"patch: outputs: []":    {KEP, KEP},
		"patch: properties: {}": {KEP, KEP},
		"patchOutputs: {}":      {KEP, V1},
		"errs: []":              {KEP, V1},
		"parameters: {}":        {KEP, KEP},
		"\"x\": type: \"trait\"\ntemplate: {a: 1}":              {V1, V1},
		"\"x\": {type: \"trait\"}\ntemplate: {a: 1}":            {V1, V1},
		"\"x\": {type: \"component\"}\ntemplate: {outputs: []}": {KEP, KEP},
	} {
		forms := []Form{readOne(t, source)}
		if got := ComponentShape(forms); got != want.component {
			t.Errorf("%q as a component: got %v", source, got)
		}
		if got := TraitShape(forms); got != want.trait {
			t.Errorf("%q as a trait: got %v", source, got)
		}
	}
}

// A key such as #hash is a field of an object like any other.
func TestKeysThatCueHasAMeaningFor(t *testing.T) {
	template := compile(t, `parameters: config: [string]: string
outputs: [{name: "c", value: {apiVersion: "v1", kind: "ConfigMap", data: parameters.config}}]`)
	outputs, err := template.Render(Context{Name: "x"}, []byte(`{"config":{"#hash":"1","_hidden":"2","$dollar":"3","a.b":"4","__x":"5"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if data := outputs[0].Object.Object["data"].(map[string]any); len(data) != 5 || data["#hash"] != "1" || data["_hidden"] != "2" {
		t.Errorf("got %v", data)
	}
}
