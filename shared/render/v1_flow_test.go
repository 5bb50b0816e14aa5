package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

func TestV1Context(t *testing.T) {
	const component = `
parameter: {a: 1}
output: {
	apiVersion: "v1", kind: "Thing"
	seen: "\(context.name) \(context.namespace) \(context.appName) \(context.revision) \(context.parameter.a) [\(context.cluster)\(context.workflowName)\(context.publishVersion)\(context.replicaKey)] \(context.appRevisionNum)"
	labels: context.appLabels
	if context.clusterVersion.minor < 25 {old: true}
	if context["config"] != _|_ {config: context.config}
}`
	for name, tc := range map[string]struct {
		values map[string]any
		old    bool
	}{
		"a number":         {map[string]any{"clusterVersion": map[string]any{"minor": 33}}, false},
		"text with a sign": {map[string]any{"clusterVersion": map[string]any{"minor": "24+"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			made := request(t, component, `{"a":1}`)
			made.Context = made.Context.With(tc.values)
			rendering, err := Render(made)
			if err != nil {
				t.Fatal(err)
			}
			want := `{"apiVersion":"v1","kind":"Thing","metadata":{"name":"shop-web"},"seen":"shop-web shop shop r1 1 [] 0","labels":{}`
			if tc.old {
				want += `,"old":true`
			}
			wantObject(t, rendering, "output", want+"}")
		})
	}
}

func TestV1TraitContext(t *testing.T) {
	rendering, err := Render(request(t, `
parameter: {n: *2 | int}
output: {apiVersion: "v1", kind: "Thing", n: *1 | int}
outputs: {"a-b": {apiVersion: "v1", kind: "Other", d: *"x" | string}}`, `{"n":7}`, given{source: `
patch: {seen: "\(context.output.n) \(context.outputs["a-b"].d) \(context.componentType) \(context.parameter.n)", n: 3}`}))
	if err != nil {
		t.Fatal(err)
	}
	wantObject(t, rendering, "output", `{"apiVersion":"v1","kind":"Thing","metadata":{"name":"shop-web"},"n":3,"seen":"1 x web 7"}`)
}

// KubeVela keeps two outputs of one name, and two of one object.
func TestV1TwoOutputsOfOneName(t *testing.T) {
	service := given{typ: "expose", source: `
parameter: {port: int, name: *context.name | string}
outputs: service: {apiVersion: "v1", kind: "Service", metadata: name: parameter.name, spec: ports: [{port: parameter.port}]}`}
	first, second, third := service, service, service
	first.properties, second.properties, third.properties = `{"port":1}`, `{"port":2}`, `{"port":3,"name":"other"}`
	rendering, err := Render(request(t, `
parameter: {}
output: {apiVersion: "v1", kind: "Thing"}`, "", first, second, third))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, object := range rendering.Objects {
		line := object.Name + " " + object.Object.GetName() + " " + object.From
		if object.Replaced {
			line += " replaced"
		}
		got = append(got, line)
	}
	want := []string{"output shop-web ", "service shop-web expose replaced", "service-2 shop-web expose", "service-3 other expose"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// KubeVela's own files: a header, and the template one level down.
func TestV1FileForm(t *testing.T) {
	const file = `import "strings"

"web": {
	type: "component"
	annotations: {}
	attributes: {
		workload: definition: {apiVersion: "v1", kind: "Thing"}
		status: {
			healthPolicy: #"""
				isHealth: context.output.status.ready == context.output.spec.n && context.outputs.side.status.up
				"""#
			customStatus: #"""
				message: "\(context.output.status.ready) of \(parameter.n) in \(context.name)"
				"""#
		}
	}
}
template: {
	parameter: {n: int}
	output: {apiVersion: "v1", kind: "Thing", spec: {n: parameter.n, s: strings.ToUpper("x")}}
	outputs: side: {apiVersion: "v1", kind: "Side"}
	#Extra: {a: 1}
}
`
	component, err := NewCompiler(cue.Options{}).Component(definition.Definition{Name: "web", Files: map[string]string{"web.cue": file}})
	if err != nil {
		t.Fatal(err)
	}
	made := Request{Type: "web", Component: component, Properties: []byte(`{"n":2}`), Context: cue.Context{Name: "a", Namespace: "b"}}
	rendering, err := Render(made)
	if err != nil {
		t.Fatal(err)
	}
	wantObject(t, rendering, "output", `{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a"},"spec":{"n":2,"s":"X"}}`)
	for name, tc := range map[string]struct {
		outputs map[string]map[string]any
		want    cue.Judgement
	}{
		"healthy": {map[string]map[string]any{
			"output": {"spec": map[string]any{"n": 2}, "status": map[string]any{"ready": 2}}, "side": {"status": map[string]any{"up": true}},
		}, cue.Judgement{Healthy: true, Message: "2 of 2 in a"}},
		"not healthy": {map[string]map[string]any{
			"output": {"spec": map[string]any{"n": 2}, "status": map[string]any{"ready": 1}}, "side": {"status": map[string]any{"up": true}},
		}, cue.Judgement{Message: "1 of 2 in a"}},
		"not decided": {map[string]map[string]any{"output": {"spec": map[string]any{"n": 2}}, "side": {}},
			cue.Judgement{Message: "isHealth is not decided yet (web/healthPolicy:1:26: undefined field: status)"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := rendering.Judge(cue.Context{Name: "a", Outputs: tc.outputs})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Places are those of the author's file, whatever form it has.
func TestV1Places(t *testing.T) {
	_, err := NewCompiler(cue.Options{}).Component(definition.Definition{Name: "web", Files: map[string]string{"web.cue": `"web": {
	type: "component"
}
template: {
	parameter: {n: int}
	output: {apiVersion: "v1", kind: nobody}
}
`}})
	wantRefusal(t, err, "web/web.cue:6:35", "nobody")

	_, err = NewCompiler(cue.Options{}).Component(definition.Definition{Name: "web", Files: map[string]string{"web.cue": "import \"vela/op\"\n\"web\": type: \"component\"\ntemplate: {\n\toutput: op.x\n}\n"}})
	wantRefusal(t, err, "web/web.cue:1:8", "nothing but CUE's standard library")

	for name, source := range map[string]string{
		"no output":  `"web": {type: "component"}` + "\ntemplate: {parameter: {}}\n",
		"processing": "output: {}\nprocessing: http: url: \"x\"\n",
	} {
		_, err := NewCompiler(cue.Options{}).Component(definition.Definition{Name: "web", Files: map[string]string{"web.cue": source}})
		wantRefusal(t, err, strings.Fields(name)[len(strings.Fields(name))-1])
	}
}

// A trait's health counts too: the component is as healthy as the least of them.
func TestV1TraitHealth(t *testing.T) {
	rendering, err := Render(request(t, `
parameter: {}
output: {apiVersion: "v1", kind: "Thing"}`, "", given{typ: "ingress", source: `
outputs: in: {apiVersion: "v1", kind: "Ingress"}
status: {
	healthPolicy: "isHealth: len(context.outputs.in.status.ips) > 0"
	customStatus: "message: \"waits for an address\""
}`}))
	if err != nil {
		t.Fatal(err)
	}
	live := func(ips ...any) cue.Context {
		return cue.Context{Name: "a", Outputs: map[string]map[string]any{"output": {}, "in": {"status": map[string]any{"ips": append([]any{}, ips...)}}}}
	}
	if got, err := rendering.Judge(live()); err != nil || got.Healthy || got.Message != "traits[0] ingress: waits for an address" {
		t.Errorf("without an address: got %+v, %v", got, err)
	}
	if got, err := rendering.Judge(live("10.0.0.1")); err != nil || !got.Healthy {
		t.Errorf("with an address: got %+v, %v", got, err)
	}
}
