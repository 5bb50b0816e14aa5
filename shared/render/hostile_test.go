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

// What could ask for more than there is, and is refused before it does. What is not refused lies in testdata/hostile/bombs:
// only a process of its own, with a deadline and a limit on its memory, bounds that.
func TestHostileIsRefused(t *testing.T) {
	files, err := filepath.Glob("testdata/hostile/refused/*.cue")
	if err != nil || len(files) == 0 {
		t.Fatalf("no hostile definitions: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".cue"), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fuzzing.Within(t, func() {
				component, err := NewCompiler(cue.Options{}).Component(defined("web", string(source)))
				if err == nil {
					_, err = Render(Request{Type: "web", Component: component, Context: fuzzContext()})
				}
				if err == nil {
					t.Error("it was rendered")
					return
				}
				fuzzing.Refused(t, err, string(source))
			})
		})
	}
}

// What no API server takes is refused in both shapes, in the same words.
func TestWrongObjectIsRefused(t *testing.T) {
	for object, want := range map[string]string{
		`apiVersion: "v1"`:                                          "the object has no kind",
		`apiVersion: "v1", kind: "A", metadata: 1`:                  "metadata must be a map",
		`apiVersion: "v1", kind: "A", metadata: null`:               "metadata must be a map",
		`apiVersion: "v1", kind: "A", metadata: name: 1`:            "metadata.name must be a string",
		`apiVersion: "v1", kind: "A", metadata: labels: a: 1`:       `metadata.labels: "a" must be a string, got 1`,
		`apiVersion: "v1", kind: "A", n: 12345678901234567890`:      "integer 12345678901234567890 does not fit into the 64 bits",
		`apiVersion: "v1", kind: "A", metadata: annotations: ["a"]`: "metadata.annotations must be a map of strings",
	} {
		for _, source := range []string{
			"parameters: {}\noutputs: [{name: \"a\", value: {" + object + "}}]",
			"parameter: {}\noutput: {" + object + "}",
		} {
			_, err := Render(request(t, source, ""))
			wantRefusal(t, err, "web/template.cue:2:", want)
		}
	}
}

// A missing apiVersion is refused in the KEP's shape. KubeVela renders it, so the other shape does too.
func TestMissingAPIVersion(t *testing.T) {
	_, err := Render(request(t, "outputs: [{name: \"a\", value: kind: \"A\"}]", ""))
	wantRefusal(t, err, "web/template.cue:1:", "the object has no apiVersion")
	if _, err := Render(request(t, "parameter: {}\noutput: kind: \"A\"", "")); err != nil {
		t.Error(err)
	}
}

// Numbers and texts that JSON has and CUE reads otherwise, or not at all.
func TestPropertiesThatCUEReadsOtherwise(t *testing.T) {
	const kep = "parameters: echo: _\noutputs: [{name: \"a\", value: {apiVersion: \"v1\", kind: \"A\", spec: echo: parameters.echo}}]"
	const v1 = "parameter: echo: _\noutput: {apiVersion: \"v1\", kind: \"A\", spec: echo: parameter.echo}"
	for echo, refusal := range map[string]string{
		`1e999999999`:       "the number 1e999999999 is too large or too small",
		`[-1E400]`:          "the number 1E400 is too large or too small",
		`1e308`:             "",
		"\"\ufeffwindows\"": "",
		`"\ud83d\ude00"`:    "",
		`{"#a":1,"_b":2}`:   "",
		"\"\xff\"":          "properties are not valid UTF-8",
		strings.Repeat("[", cue.MaxDepth) + strings.Repeat("]", cue.MaxDepth): "properties nest deeper than the 1000 levels that are allowed",
	} {
		for _, source := range []string{kep, v1} {
			properties := `{"echo":` + echo + `}`
			rendering, err := Render(request(t, source, properties))
			if refusal != "" {
				wantRefusal(t, err, refusal)
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", properties, err)
				continue
			}
			checkEcho(t, []byte(properties), rendering)
		}
	}
}

// A file that is a value and no fields is refused as such, in every kind of definition.
func TestValueIsNoDefinition(t *testing.T) {
	for _, source := range []string{"8", `"text"`, "[1]", "parameters: {}\noutputs: []\n8"} {
		compiler := NewCompiler(cue.Options{})
		_, err := compiler.Component(defined("web", source))
		wantRefusal(t, err, "web/template.cue:", "a definition consists of fields")
		_, err = compiler.Trait(definition.Trait{Definition: defined("change", source)})
		wantRefusal(t, err, "change/template.cue:", "a definition consists of fields")
	}
}

// A function of CUE's library that fails says why.
func TestFailedFunctionSaysWhy(t *testing.T) {
	_, err := Render(request(t, `import "strconv"
#n: strconv.Atoi("many")
parameters: {}
outputs: [{name: "a", value: {apiVersion: "v1", kind: "A", n: #n}}]`, ""))
	wantRefusal(t, err, "web/template.cue:2:5", "error in call to strconv.Atoi", `parsing "many": invalid syntax`)
}
