package render

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const shaped = `
import "strings"

#Probe: {port: int, period: *10 | int}
parameter: {
	image:   string
	port?:   int
	label?:  string
	cpu?:    *"1" | string
	free: {...}
	env?: [...{name: string}]
	probe?: #Probe
	http?: [string]: int
	unused?: string
	enum:   *"A" | "B"
	size:   *1 | number
}
output: {
	apiVersion: "v1", kind: "Thing", image: strings.ToLower(parameter.image), enum: parameter.enum, size: parameter.size
	if parameter.port != _|_ {port: parameter.port}
	if parameter.label != _|_ {label: parameter.label}
	if parameter.cpu != _|_ {cpu: parameter.cpu}
	if parameter.env != _|_ {env: parameter.env}
	if parameter.probe != _|_ {probe: parameter.probe}
	if parameter.http != _|_ {paths: [for path, port in parameter.http {"\(path):\(port)"}]}
}`

func TestV1Parameters(t *testing.T) {
	const head = `{"apiVersion":"v1","kind":"Thing","metadata":{"name":"shop-web"},"image":"x","enum":"A"`
	for name, tc := range map[string]struct {
		properties string
		want       string
		refusal    []string
	}{
		"least":                            {properties: `{"image":"X"}`, want: head + `,"size":1}`},
		"a whole float is an integer":      {properties: `{"image":"X","port":8080.0}`, want: head + `,"size":1,"port":8080}`},
		"so is one with an exponent":       {properties: `{"image":"X","port":8e3}`, want: head + `,"size":1,"port":8000}`},
		"an integer keeps every digit":     {properties: `{"image":"X","port":9007199254740993}`, want: head + `,"size":1,"port":9007199254740993}`},
		"a fraction is no integer":         {properties: `{"image":"X","port":80.5}`, refusal: []string{`parameter "port"`, "80.5", "want int"}},
		"beyond 10^21 a number is a float": {properties: `{"image":"X","port":1000000000000000000000}`, refusal: []string{`parameter "port"`}},
		"which a number may be":            {properties: `{"image":"X","size":1e21}`, want: head + `,"size":1e+21}`},
		"keys are sorted":                  {properties: `{"image":"X","http":{"/b":2,"/a":1}}`, want: head + `,"size":1,"paths":["/a:1","/b:2"]}`},
		"unknown ones pass":                {properties: `{"image":"X","imgae":"y"}`, want: head + `,"size":1}`},
		"in a list they are copied":        {properties: `{"image":"X","env":[{"name":"A","more":1}]}`, want: head + `,"size":1,"env":[{"name":"A","more":1}]}`},
		"a closed one refuses them":        {properties: `{"image":"X","probe":{"port":1,"prot":2}}`, refusal: []string{`unknown parameter "probe.prot"`, `"probe.port"`}},
		"an optional default is not given": {properties: `{"image":"X","probe":{"port":1}}`, want: head + `,"size":1,"probe":{"port":1,"period":10}}`},
		"null is no string":                {properties: `{"image":"X","label":null}`, refusal: []string{`parameter "label"`, "got null", "want string"}},
		"enum":                             {properties: `{"image":"X","enum":"C"}`, refusal: []string{`parameter "enum"`, `"C"`, `"A"`, `"B"`}},
		"missing":                          {properties: `{}`, refusal: []string{`image`}},
		"missing, without any properties":  {refusal: []string{`image`}},
		"all at once":                      {properties: `{"image":1,"port":"x","enum":"C"}`, refusal: []string{`"image"`, `"port"`, `"enum"`}},
		"no JSON":                          {properties: `{"image":`, refusal: []string{"not valid JSON"}},
		"keys that CUE has a meaning for":  {properties: `{"image":"X","http":{"#a":1,"_b":2}}`, want: head + `,"size":1,"paths":["#a:1","_b:2"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			rendering, err := Render(request(t, shaped, tc.properties))
			if tc.refusal != nil {
				wantRefusal(t, err, tc.refusal...)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantObject(t, rendering, "output", tc.want)
		})
	}
}

func TestV1MissingIsFoundWhereItIsNeeded(t *testing.T) {
	rendering, err := Render(request(t, `
parameter: {used: string, unused: string}
output: {apiVersion: "v1", kind: "Thing", used: parameter.used}`, `{"used":"x"}`))
	if err != nil {
		t.Fatalf("a parameter that nothing needs was asked for: %v", err)
	}
	wantObject(t, rendering, "output", `{"apiVersion":"v1","kind":"Thing","metadata":{"name":"shop-web"},"used":"x"}`)

	_, err = Render(request(t, shaped, `{}`, given{typ: "look", source: `patch: metadata: labels: a: "b"`}))
	wantRefusal(t, err, `missing required parameter "image" (string)`, "web/template.cue:19:")
}

func TestV1Errs(t *testing.T) {
	for name, source := range map[string]string{
		"in a trait": `patch: {}
errs: [if context.output.kind == "Thing" {"things take no such trait"}]`,
		"with more problems": `parameter: {n: *1 | int}
patch: {}
errs: ["things take no such trait"]
bad: 1 & 2`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Render(request(t, shaped, `{"image":"x"}`, given{typ: "no", source: source}))
			wantRefusal(t, err, "traits[0] no", "things take no such trait", "no/template.cue:")
		})
	}
	if _, err := Render(request(t, shaped, `{"image":"x"}`, given{typ: "odd", source: "patch: {}\nerrs: \"no list\""})); err != nil {
		t.Errorf("an errs that is no list refuses: %v", err)
	}
}

func TestV1Unknown(t *testing.T) {
	made := request(t, shaped, "")
	got := made.Component.Unknown([]byte(`{"image":"x","imgae":"y","probe":{"port":1,"zzz":2},"free":{"any":1},"http":{"/x":1}}`))
	want := []string{`parameter "imgae" is unknown to web and has no effect`, `parameter "probe.zzz" is unknown to web and has no effect`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
