package cue

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/shared/definition"
)

const parameterShapes = `
import "strings"

#Port: int & >=1 & <=65535

parameters: {
	image:     string
	port:      *80 | #Port
	replicas?: int & >=1 & <=100
	mode:      *"single" | "cluster"
	if mode == "cluster" {
		// seed is needed in a cluster only.
		seed: string
	}
	token!: string
	env: [string]: string
	free: {...}
	resources: limits: {cpu: string, memory: *"64Mi" | string}
	volumes: [...{name: string, size?: int}]
	probe?: {path: string} | null
	storage?: {kind: "disk", size: int} | {kind: "bucket", url: string}
	short:  *"" | strings.MaxRunes(3)
	ratio?: number
	label:  *context.name | string
	max:    *10 | int
	min:    *1 | (int & <=max)
}
outputs: []
`

const sound = `"image":"nginx","token":"t","resources":{"limits":{"cpu":"1"}}`

func TestCheckParameters(t *testing.T) {
	cases := map[string]struct {
		properties string
		want       []string
	}{
		"minimal": {properties: `{` + sound + `}`},
		"everything": {properties: `{` + sound + `,"port":8080,"replicas":3,"mode":"cluster","seed":"s","env":{"A":"b"},
			"free":{"any":[1,{"x":null}]},"volumes":[{"name":"a"},{"name":"b","size":1}],"probe":null,
			"storage":{"kind":"bucket","url":"u"},"short":"abc","ratio":0.5,"label":"l","min":3}`},
		"integers keep every digit":    {properties: `{` + sound + `,"max":123456789012345678901234567890}`},
		"an integer serves as number":  {properties: `{` + sound + `,"ratio":1}`},
		"condition opens a parameter":  {properties: `{` + sound + `,"mode":"cluster","seed":"s"}`},
		"alternative of one kind fits": {properties: `{` + sound + `,"probe":{"path":"/"}}`},
		"empty": {properties: ``, want: []string{
			`missing required parameter "image" (string)`,
			`missing required parameter "resources.limits.cpu" (string)`,
			`missing required parameter "token" (string)`,
		}},
		"null": {properties: `null`, want: []string{
			`missing required parameter "image" (string)`,
			`missing required parameter "resources.limits.cpu" (string)`,
			`missing required parameter "token" (string)`,
		}},
		"unknown, near": {properties: `{` + sound + `,"imge":"x"}`, want: []string{`unknown parameter "imge": did you mean "image"?`}},
		"unknown, far": {properties: `{` + sound + `,"zzzzzz":"x"}`, want: []string{
			`unknown parameter "zzzzzz": declared are env, free, image, label, max, min, mode, port, probe, ratio, replicas, resources, short, storage, token, volumes`}},
		"unknown, nested": {properties: `{"image":"nginx","token":"t","resources":{"limits":{"cpu":"1","memry":"1"}}}`, want: []string{
			`unknown parameter "resources.limits.memry": did you mean "resources.limits.memory"?`}},
		"unknown, in a list": {properties: `{` + sound + `,"volumes":[{"name":"a"},{"name":"b","sise":1}]}`, want: []string{
			`unknown parameter "volumes[1].sise": did you mean "volumes[1].size"?`}},
		"unknown under this condition": {properties: `{` + sound + `,"seed":"s"}`, want: []string{
			`unknown parameter "seed": declared are env, free, image, label, max, min, mode, port, probe, ratio, replicas, resources, short, storage, token, volumes`}},
		"missing under this condition": {properties: `{` + sound + `,"mode":"cluster"}`, want: []string{`missing required parameter "seed" (string)`}},
		"missing in a list": {properties: `{` + sound + `,"volumes":[{"size":1}]}`, want: []string{
			`missing required parameter "volumes[0].name" (string)`}},
		"wrong types": {properties: `{"image":7,"token":null,"resources":"big","port":"eighty","env":{"A":1},"volumes":{"name":"a"},"mode":["x"],"probe":{"path":1}}`,
			want: []string{
				`parameter "env.A": got number 1, want string`,
				`parameter "image": got number 7, want string`,
				`parameter "mode": got list ["x"], want string, default "single"`,
				`parameter "port": got string "eighty", want int, default 80`,
				`parameter "probe.path": got number 1, want string`,
				`parameter "resources": got string "big", want map`,
				`parameter "token": got null, want string`,
				`parameter "volumes": got map {"name":"a"}, want list`,
			}},
		"a float is no integer": {properties: `{` + sound + `,"replicas":1.5}`, want: []string{`parameter "replicas": got number 1.5, want int`}},
		"constraints": {properties: `{` + sound + `,"port":0,"replicas":101,"mode":"both","short":"long"}`, want: []string{
			`parameter "mode": "both" is not allowed, want *"single" | "cluster"`,
			`parameter "port": 0 is not allowed, want an int from 1 to 65535, default 80`,
			`parameter "replicas": 101 is not allowed, want an int from 1 to 100`,
			`parameter "short": "long" is not allowed, want *"" | strings.MaxRunes(3)`,
		}},
		"no alternative fits": {properties: `{` + sound + `,"storage":{"kind":"bucket","size":1}}`, want: []string{
			`parameter "storage": {"kind":"bucket","size":1} is not allowed, want { kind: "disk" size: int } | { kind: "bucket" url: string }`}},
		"against another parameter": {properties: `{` + sound + `,"max":2,"min":3}`, want: []string{
			`parameter "min": 3 does not go with the other parameters: conflicting values 1 and 3, invalid value 3 (out of bound <=2)`}},
		"all at once": {properties: `{"imge":"x","port":"eighty","resources":{"limits":{"cpus":"1"}},"mode":"cluster"}`, want: []string{
			`unknown parameter "imge": did you mean "image"?`,
			`parameter "port": got string "eighty", want int, default 80`,
			`unknown parameter "resources.limits.cpus": did you mean "resources.limits.cpu"?`,
			`missing required parameter "resources.limits.cpu" (string)`,
			`missing required parameter "image" (string)`,
			`missing required parameter "seed" (string)`,
			`missing required parameter "token" (string)`,
		}},
		"no map":       {properties: `[]`, want: []string{`properties must be a map of parameters`}},
		"no JSON":      {properties: `{"a":`, want: []string{`properties are not valid JSON`}},
		"hostile size": {properties: `{"image":"` + strings.Repeat("x", MaxPropertiesBytes) + `"}`, want: []string{`properties have 1048588 bytes; at most 1048576 are allowed`}},
		"hostile depth": {properties: strings.Repeat(`{"a":`, 20000) + `1` + strings.Repeat(`}`, 20000),
			want: []string{`properties are not valid JSON`}},
	}
	template := compile(t, parameterShapes)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			wantProblems(t, template.CheckParameters([]byte(tc.properties)), tc.want)
		})
	}
}

func TestCheckParametersSpellings(t *testing.T) {
	for name, source := range map[string]string{
		"parameters": "parameters: {image: string}\noutputs: []",
		"parameter":  "parameter: {image: string}\noutputs: []",
		"definition": "#Parameters: {image: string}\nparameters: #Parameters\noutputs: []",
	} {
		t.Run(name, func(t *testing.T) {
			template := compile(t, source)
			wantProblems(t, template.CheckParameters([]byte(`{"image":"x"}`)), nil)
			wantProblems(t, template.CheckParameters([]byte(`{"imag":"x"}`)), []string{
				`unknown parameter "imag": did you mean "image"?`,
				`missing required parameter "image" (string)`,
			})
		})
	}
	t.Run("none", func(t *testing.T) {
		template := compile(t, "outputs: []")
		wantProblems(t, template.CheckParameters(nil), nil)
		wantProblems(t, template.CheckParameters([]byte(`{"image":"x"}`)), []string{`unknown parameter "image": no parameters are declared here`})
	})
	t.Run("open", func(t *testing.T) {
		template := compile(t, "parameters: {image: string, ...}\noutputs: []")
		wantProblems(t, template.CheckParameters([]byte(`{"image":"x","other":{"a":1}}`)), nil)
	})
}

func compile(t testing.TB, source string) *Template {
	t.Helper()
	template, err := NewCompiler(Options{}).Compile(define(source))
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	return template
}

func define(source string) definition.Definition {
	return definition.Definition{Name: "webservice", APIVersion: "v1", Files: map[string]string{"template.cue": source}}
}

// wantProblems compares the problems of err with want, one line each.
func wantProblems(t testing.TB, err error, want []string) {
	t.Helper()
	var got []string
	if failure := (*Error)(nil); errors.As(err, &failure) {
		for _, problem := range failure.Problems {
			got = append(got, problem.String())
		}
	} else if err != nil {
		t.Fatalf("got an error that is no *Error: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
