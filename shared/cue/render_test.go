package cue

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRender(t *testing.T) {
	template := compile(t, `
parameters: {
	image: string
	big:   *9007199254740993 | int
	ratio: *1.5 | number
	expose: *false | bool
	config: [string]: string
}
#labels: app: context.name
outputs: [
	{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: {name: context.name + "-config", labels: #labels}, data: parameters.config}},
	{name: "workload", type: "resource", value: {
		apiVersion: "example.com/v1", kind: "Work", metadata: namespace: context.namespace
		spec: {image: context.parameters.image, big: parameter.big, ratio: parameters.ratio, none: null, list: [1, "a", {b: true}]}
	}, statusPaths: [{name: "ready", path: ".status.readyReplicas"}, {name: "ip", path: ".status.ingress[0]['i.p']"}]},
	if parameters.expose {
		{name: "service", value: {apiVersion: "v1", kind: "Service", metadata: name: "\(context.appName)-\(context.componentName)"}}
	},
]
`)
	context := Context{Name: "web", Namespace: "shop", AppName: "store", ComponentName: "front"}
	outputs, err := template.Render(context, []byte(`{"image":"nginx","expose":true,"config":{"a":"b"}}`))
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	got := map[string]any{}
	for _, output := range outputs {
		got[output.Name] = output.Object.Object
	}
	want := map[string]any{
		"config": map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": "web-config", "labels": map[string]any{"app": "web"}}, "data": map[string]any{"a": "b"}},
		"workload": map[string]any{"apiVersion": "example.com/v1", "kind": "Work", "metadata": map[string]any{"name": "web", "namespace": "shop"},
			"spec": map[string]any{"image": "nginx", "big": int64(9007199254740993), "ratio": 1.5, "none": nil,
				"list": []any{int64(1), "a", map[string]any{"b": true}}}},
		"service": map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "store-front"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	if got := fmt.Sprint(outputs[1].StatusPaths[0].Name, outputs[1].StatusPaths[1].Path); got != "ready .status.ingress[0]['i.p']" && got != "ready.status.ingress[0]['i.p']" {
		t.Errorf("statusPaths: got %s", got)
	}
}

func TestRenderConditions(t *testing.T) {
	template := compile(t, `
parameters: expose: *false | bool
outputs: [
	if parameters.expose {{name: "service", value: {apiVersion: "v1", kind: "Service"}}},
	{name: "config", value: {apiVersion: "v1", kind: "ConfigMap"}},
]`)
	for properties, want := range map[string]string{
		`{}`:              "config",
		`{"expose":true}`: "service config",
	} {
		outputs, err := template.Render(Context{Name: "web"}, []byte(properties))
		if err != nil {
			t.Fatalf("Render: %v", err)
		}
		var names []string
		for _, output := range outputs {
			names = append(names, output.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("properties %s: got outputs %q, want %q", properties, got, want)
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	cases := map[string]struct {
		outputs string
		want    []string
	}{
		"not concrete": {
			`[{name: "a", value: {apiVersion: "v1", kind: "A", spec: {x: string, y: int & >1}}}]`,
			[]string{
				`webservice/template.cue:3:70: outputs[0].value.spec.x: incomplete value string`,
				`webservice/template.cue:3:78: outputs[0].value.spec.y: incomplete value >1 & int`,
			},
		},
		"absent from the context": {
			`[{name: "a", value: {apiVersion: "v1", kind: "A", spec: context.nothing}}]`,
			[]string{`webservice/template.cue:3:74: outputs[0].value.spec: undefined field: nothing`},
		},
		"conflicts and incomplete values at once": {
			`[{name: "a", value: {apiVersion: "v1", kind: "A", x: parameters.n & string, y: string}}, {name: "b", value: {apiVersion: 1 & 2, kind: string}}]`,
			[]string{
				`webservice/template.cue:2:17: outputs[0].value.x: conflicting values string and 1 (mismatched types string and int)`,
				`webservice/template.cue:2:21: outputs[0].value.x: conflicting values string and int (mismatched types string and int)`,
				`webservice/template.cue:3:89: outputs[0].value.y: incomplete value string`,
				`webservice/template.cue:3:131: outputs[1].value.apiVersion: conflicting values 2 and 1`,
				`webservice/template.cue:3:144: outputs[1].value.kind: incomplete value string`,
			},
		},
		"one name twice": {
			`[{name: "a", value: {apiVersion: "v1", kind: "A"}}, {name: "a", value: {apiVersion: "v1", kind: "B"}}]`,
			[]string{`webservice/template.cue:3:62: outputs[1]: output "a" is there already, at webservice/template.cue:3:11: names must be unique`},
		},
		"one object twice": {
			`[{name: "a", value: {apiVersion: "v1", kind: "A"}}, {name: "b", value: {apiVersion: "v1", kind: "A"}}]`,
			[]string{`webservice/template.cue:3:74: outputs[1].value: A web is rendered already, at webservice/template.cue:3:23`},
		},
		"no name, no value": {
			`[{type: "resource"}]`,
			[]string{
				`webservice/template.cue:3:11: outputs[0]: an output needs a name, which must be a string`,
				`webservice/template.cue:3:11: outputs[0]: an output needs a value, the Kubernetes object to apply`,
			},
		},
		"no kind, no apiVersion": {
			`[{name: "a", value: metadata: name: "x"}, {name: "b", value: 3}]`,
			[]string{
				`webservice/template.cue:3:23: outputs[0].value: the object has no apiVersion`,
				`webservice/template.cue:3:23: outputs[0].value: the object has no kind`,
				`webservice/template.cue:3:64: outputs[1].value: value must be a Kubernetes object`,
			},
		},
		"metadata of wrong types": {
			`[{name: "a", value: {apiVersion: "v1", kind: "A", metadata: {name: 3, labels: {x: 1}, annotations: "y"}}}]`,
			[]string{
				`webservice/template.cue:3:23: outputs[0].value: metadata.annotations must be a map of strings`,
				`webservice/template.cue:3:23: outputs[0].value: metadata.labels: "x" must be a string, got 1`,
				`webservice/template.cue:3:23: outputs[0].value: metadata.name must be a string`,
			},
		},
		"integer that Kubernetes cannot hold": {
			`[{name: "a", value: {apiVersion: "v1", kind: "A", spec: n: 9223372036854775808}}]`,
			[]string{`webservice/template.cue:3:66: outputs[0].value.spec.n: integer 9223372036854775808 does not fit into the 64 bits that Kubernetes gives it: write a string where the field takes one`},
		},
		"unknown type and field": {
			`[{name: "a", type: "helm", vale: 1, value: {apiVersion: "v1", kind: "A"}}]`,
			[]string{
				`webservice/template.cue:3:23: outputs[0].type: output type helm is not known, want "resource" or "component"`,
				`webservice/template.cue:3:37: outputs[0].vale: unknown field vale: an output has name, type, value and statusPaths`,
			},
		},
		"status paths": {
			`[{name: "a", value: {apiVersion: "v1", kind: "A"}, statusPaths: [{name: "x", path: ".a"}, {name: "x", path: ".b"}, {path: ".c"}, {name: "z", path: ".a[b]"}]}]`,
			[]string{
				`webservice/template.cue:3:61: outputs[0].statusPaths: each of statusPaths needs a name and a path, both strings`,
				`webservice/template.cue:3:61: outputs[0].statusPaths: path ".a[b]" cannot be read at "[b]": write it as .status.readyReplicas, .status.ingress[0].ip or .metadata.labels['a.b/c']`,
				`webservice/template.cue:3:61: outputs[0].statusPaths: statusPaths has two entries of the name "x"`,
			},
		},
		"no list": {
			`{a: {}}`,
			[]string{`webservice/template.cue:3:1: outputs: outputs must be a list of {name, value}`},
		},
		"condition on what is not there": {
			`[if context.nothing {name: "a"}]`,
			[]string{`webservice/template.cue:3:22: outputs: undefined field: nothing`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			template := compile(t, "\nparameters: n: *1 | int\noutputs: "+tc.outputs)
			_, err := template.Render(Context{Name: "web"}, nil)
			for range 3 { // the order must not change from one evaluation to the next
				_, again := template.Render(Context{Name: "web"}, nil)
				if again == nil || err == nil || again.Error() != err.Error() {
					t.Fatalf("got %v, then %v", err, again)
				}
			}
			wantProblems(t, err, tc.want)
		})
	}
}

func TestStatusPath(t *testing.T) {
	object := map[string]any{
		"status":   map[string]any{"ready": int64(3), "none": nil, "ingress": []any{map[string]any{"ip": "10.0.0.1"}}},
		"metadata": map[string]any{"labels": map[string]any{"a.b/c": "x"}},
	}
	for path, want := range map[string]string{
		".status.ready":               "3 true",
		"status.ready":                "3 true",
		".status.none":                "<nil> true",
		".status.absent":              "<nil> false",
		".status.ready.deeper":        "<nil> false",
		".status.ingress[0].ip":       "10.0.0.1 true",
		".status.ingress[1].ip":       "<nil> false",
		".status[0]":                  "<nil> false",
		".metadata.labels['a.b/c']":   "x true",
		`.metadata.labels["a.b/c"]`:   "x true",
		"['metadata'].labels.a.b/c":   "<nil> false",
		".status.ingress[99999999].x": "<nil> false",
	} {
		parsed, err := ParseStatusPath("x", path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		value, found := parsed.Find(object)
		if got := fmt.Sprint(value, " ", found); got != want && fmt.Sprint(value, found) != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	for _, path := range []string{"", ".", ".a..b", ".a[", ".a[99999999999999999999]", ".a b", "{.a}"} {
		if _, err := ParseStatusPath("x", path); err == nil {
			t.Errorf("%q was accepted", path)
		}
	}
}
