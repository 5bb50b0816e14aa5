package render

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

const shop = `
parameters: {
	image:    string
	replicas: *1 | int
}
outputs: [
	{name: "workload", value: {
		apiVersion: "apps/v1", kind: "Deployment"
		spec: {replicas: *parameters.replicas | int, strategy: *"Rolling" | string, containers: [{name: "main", image: parameters.image}]}
	}, statusPaths: [{name: "ready", path: ".status.ready"}]},
	{name: "service", value: {apiVersion: "v1", kind: "Service"}},
]`

// Each phase in one table: what a trait asks for, and what becomes of it.
func TestTraitPhases(t *testing.T) {
	const workload = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop-web"},"spec":{"replicas":1,"strategy":"Rolling","containers":[{"name":"main","image":"a"}]}}`
	const service = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"shop-web"}}`
	for name, tc := range map[string]struct {
		traits  []given
		want    map[string]string
		refusal []string
	}{
		"pre changes properties": {
			traits: []given{{source: `phase: "pre"
parameters: by: int
patch: properties: replicas: 1 + parameters.by`, properties: `{"by":3}`}},
			want: map[string]string{"workload": strings.ReplaceAll(workload, `"replicas":1`, `"replicas":4`)},
		},
		"pre sees what the user gave, and no default": {
			traits: []given{{source: `phase: "pre"
patch: properties: replicas: context.parameters.replicas * 2`}},
			refusal: []string{"traits[0] change", "undefined field: replicas"},
		},
		"pre writes properties": {
			traits:  []given{{source: `phase: "pre"` + "\npatch: parameters: replicas: 2"}},
			refusal: []string{"write patch: properties: {...}"},
		},
		"what pre makes of the properties is checked": {
			traits:  []given{{source: `phase: "pre"` + "\npatch: properties: {replicas: 2, imag: 1}"}},
			refusal: []string{`unknown parameter "imag": did you mean "image"?`},
		},
		"pre traits see what the ones before left, and null takes out": {
			traits: []given{
				{typ: "one", source: `phase: "pre"
patch: properties: {image: "\(context.parameters.image)b", replicas: 5}`},
				{typ: "two", source: `phase: "pre"
patch: properties: {image: "\(context.parameters.image)c", replicas: null}`},
			},
			want: map[string]string{"workload": strings.ReplaceAll(workload, `"image":"a"`, `"image":"abc"`)},
		},
		"default patches value, bare fields, and adds": {
			traits: []given{{typ: "label", source: `
parameters: value: string
patch: outputs: [
	{name: "workload", value: {spec: {replicas: 2, strategy: "Recreate"}}},
	{name: "service", metadata: labels: team: parameters.value},
]
outputs: [{name: "extra", value: {apiVersion: "v1", kind: "ConfigMap", data: {of: context.outputs.workload.spec.strategy}}}]`, properties: `{"value":"a"}`}},
			want: map[string]string{
				"workload": strings.ReplaceAll(strings.ReplaceAll(workload, "Rolling", "Recreate"), `"replicas":1`, `"replicas":2`),
				"service":  `{"apiVersion":"v1","kind":"Service","metadata":{"name":"shop-web","labels":{"team":"a"}}}`,
				"extra":    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"shop-web"},"data":{"of":"Rolling"}}`,
			},
		},
		"default reaches every output, as the KEP shows": {
			traits: []given{{source: `patch: outputs: [for o in context.outputs {name: o.name, metadata: annotations: kind: o.value.kind}]`}},
			want: map[string]string{
				"service":  `{"apiVersion":"v1","kind":"Service","metadata":{"name":"shop-web","annotations":{"kind":"Service"}}}`,
				"workload": strings.ReplaceAll(workload, `"name":"shop-web"`, `"name":"shop-web","annotations":{"kind":"Deployment"}`),
			},
		},
		"default follows patch strategies": {
			traits: []given{{source: `patch: outputs: [{name: "workload", value: spec: {
	// +patchKey=name
	containers: [{name: "side", image: "s"}]
}}]`}},
			want: map[string]string{"workload": strings.ReplaceAll(workload, `"image":"a"}`, `"image":"a"},{"name":"side","image":"s"}`)},
		},
		"in list order, and one type twice": {
			traits: []given{
				{typ: "note", source: `parameters: {k: string}
patch: outputs: [{name: "service", metadata: annotations: (parameters.k): "\(len([for k, v in *context.outputs.service.metadata.annotations | {} {k}]))"}]`, properties: `{"k":"a"}`},
				{typ: "note", source: `parameters: {k: string}
patch: outputs: [{name: "service", metadata: annotations: (parameters.k): "\(len([for k, v in *context.outputs.service.metadata.annotations | {} {k}]))"}]`, properties: `{"k":"b"}`},
			},
			want: map[string]string{"service": strings.ReplaceAll(service, `{"name":"shop-web"}`, `{"name":"shop-web","annotations":{"a":"0","b":"1"}}`)},
		},
		"post adds nothing before": {
			traits: []given{{source: `phase: "post"
outputs: [{name: "after", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "after"}}]`}},
			want: map[string]string{"workload": workload, "service": service},
		},
		"KubeVela's patch goes to the first output": {
			traits: []given{{source: `parameter: {n: int}
patch: spec: replicas: parameter.n
outputs: more: {apiVersion: "v1", kind: "ConfigMap"}`, properties: `{"n":4}`}},
			want: map[string]string{"workload": strings.ReplaceAll(workload, `"replicas":1`, `"replicas":4`)},
		},
		"an unknown output": {
			traits:  []given{{source: `patch: outputs: [{name: "wokload", value: spec: replicas: 2}]`}},
			refusal: []string{"traits[0] change", "change/template.cue:1:18", `there is no output "wokload" to patch`, `did you mean "workload"?`},
		},
		"unknown outputs, all at once": {
			traits:  []given{{source: `patch: outputs: [{name: "x1"}, {name: "y22"}]`}},
			refusal: []string{`"x1" to patch: there are "service", "workload"`, `"y22" to patch`},
		},
		"an output that is there already": {
			traits:  []given{{}, {typ: "add", source: `outputs: [{name: "service", value: {apiVersion: "v1", kind: "ConfigMap"}}]`}}[1:],
			refusal: []string{"traits[0] add", `output "service" is there already, from the component`},
		},
		"an object that is there already": {
			traits:  []given{{typ: "add", source: `outputs: [{name: "other", value: {apiVersion: "v1", kind: "Service"}}]`}},
			refusal: []string{"Service shop-web is rendered already, by the component"},
		},
		"a conflict": {
			traits:  []given{{source: `patch: outputs: [{name: "workload", value: spec: containers: [{name: "other"}]}]`}},
			refusal: []string{"traits[0] change", "change/template.cue:1:18", "workload.spec.containers", "conflicting values"},
		},
		"a trait's own parameters": {
			traits:  []given{{source: `parameters: {value: string}` + "\noutputs: []", properties: `{"valeu":"x"}`}},
			refusal: []string{"traits[0] change", `unknown parameter "valeu": did you mean "value"?`, `missing required parameter "value"`},
		},
		"a type that it does not apply to": {
			traits:  []given{{source: `appliesTo: ["worker", "task"]` + "\noutputs: []"}},
			refusal: []string{"traits[0] change does not apply to components of type web: it is for task, worker"},
		},
		"a type that it applies to": {
			traits: []given{{source: `appliesTo: ["web"]` + "\noutputs: []"}},
			want:   map[string]string{"service": service},
		},
		"pre cannot render": {
			traits:  []given{{source: `phase: "pre"` + "\noutputs: []"}},
			refusal: []string{"a trait of the phase pre has no outputs"},
		},
		"default cannot change properties": {
			traits:  []given{{source: `patch: properties: replicas: 2`}},
			refusal: []string{"only a trait of the phase pre can change properties"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			rendering, err := Render(request(t, shop, `{"image":"a"}`, tc.traits...))
			if tc.refusal != nil {
				wantRefusal(t, err, tc.refusal...)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for output, want := range tc.want {
				wantObject(t, rendering, output, want)
			}
		})
	}
}

func TestTraitDispatcher(t *testing.T) {
	rendering, err := Render(request(t, shop, `{"image":"a"}`, given{source: `phase: "pre"
dispatcher: {name: "local"}`}))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(rendering.Dispatcher); got != `{"name":"local"}` {
		t.Errorf("got dispatcher %s", got)
	}
}

func TestTraitAfter(t *testing.T) {
	rendering, err := Render(request(t, shop, `{"image":"a"}`, given{typ: "dns", source: `phase: "post"
parameters: zone: string
outputs: [{name: "record", value: {
	apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name + "-record"
	data: {ready: "\(context.status.workload.ready)", zone: parameters.zone, image: context.parameters.image}
}}]`, properties: `{"zone":"z"}`}))
	if err != nil {
		t.Fatal(err)
	}
	if len(rendering.Objects) != 2 || !rendering.HasAfter() {
		t.Fatalf("got %d objects before, want the component's 2", len(rendering.Objects))
	}
	added, err := rendering.After(cue.Context{Name: "shop-web", Status: map[string]map[string]any{"workload": {"ready": 2}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(added[0].Object.Object)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"shop-web-record"},"data":{"ready":"2","zone":"z","image":"a"}}`
	if diff := cmp.Diff(decode(t, want), decode(t, string(got))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := rendering.After(cue.Context{Name: "shop-web", Status: map[string]map[string]any{}}); err == nil {
		t.Error("a status that is not there rendered")
	}
}

func TestTraitPhaseFromObject(t *testing.T) {
	compile := func(phase definition.Phase, source string) (*Trait, error) {
		return NewCompiler(cue.Options{}).Trait(definition.Trait{Phase: phase,
			Definition: definition.Definition{Name: "x", Files: map[string]string{"template.cue": source}}})
	}
	if trait, err := compile(definition.PhasePost, "outputs: []"); err != nil || trait.Phase() != definition.PhasePost {
		t.Errorf("got %v, %v", trait, err)
	}
	if trait, err := compile("", "outputs: []"); err != nil || trait.Phase() != definition.PhaseDefault {
		t.Errorf("got %v, %v", trait, err)
	}
	_, err := compile("", `phase: "later"`)
	wantRefusal(t, err, "x/template.cue:1:1", `"later"`, `"pre", "default" or "post"`)
}

// A trait of the KEP's shape on a component of KubeVela's shape: the main object is the output named output.
func TestTraitOnV1Component(t *testing.T) {
	rendering, err := Render(request(t, `
parameter: {}
output: {apiVersion: "v1", kind: "Thing", n: *1 | int}
outputs: side: {apiVersion: "v1", kind: "Side"}`, "", given{source: `
patch: outputs: [{name: "output", value: n: 2}, for o in context.outputs if o.name != "output" {name: o.name, metadata: labels: a: "b"}]`}))
	if err != nil {
		t.Fatal(err)
	}
	wantObject(t, rendering, "output", `{"apiVersion":"v1","kind":"Thing","metadata":{"name":"shop-web"},"n":2}`)
	wantObject(t, rendering, "side", `{"apiVersion":"v1","kind":"Side","metadata":{"name":"shop-web-side","labels":{"a":"b"}}}`)
}
