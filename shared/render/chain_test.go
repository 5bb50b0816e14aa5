package render

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/shared/cue"
)

const composed = `
parameters: {}
outputs: [
	{name: "app", value: {apiVersion: "v1", kind: "App", host: context.outputs.db.status.exports.host}},
	{name: "db", type: "component", value: {type: "postgres", properties: size: *1 | int}},
]`

// labelled is a trait that patches all outputs that are there, and app by its name.
const labelled = `
parameters: {}
patch: outputs: [
	for output in context.outputs {{name: output.name, metadata: labels: team: "a"}},
	{name: "app", value: metadata: annotations: note: "x"},
]`

func TestTraitsOfAComposition(t *testing.T) {
	made := request(t, composed, "", given{typ: "labelled", source: labelled}, given{typ: "sized", source: `
parameters: {}
patch: outputs: [{name: "db", value: spec: properties: size: 3}]
outputs: [{name: "side", type: "component", value: {definition: "cache"}}]`})
	rendering, err := Render(made)
	if err != nil {
		t.Fatal(err)
	}
	want := []Pending{{Name: "app", Waits: []cue.Reference{{Output: "db", Path: "context.outputs.db.status.exports.host"}}}}
	if diff := cmp.Diff(want, rendering.Pending); diff != "" {
		t.Errorf("pending (-want +got):\n%s", diff)
	}
	if !rendering.Reads.Has("db") || rendering.Reads.Has("app") || rendering.Reads.None() {
		t.Errorf("reads %+v, want db alone", rendering.Reads)
	}
	wantObject(t, rendering, "db", `{"apiVersion":"core.wheelwright.dev/v1alpha1","kind":"Component",
		"metadata":{"name":"shop-web-db","namespace":"shop","labels":{"team":"a"}},"spec":{"type":"postgres","properties":{"size":3}}}`)
	wantObject(t, rendering, "side", `{"apiVersion":"core.wheelwright.dev/v1alpha1","kind":"Component",
		"metadata":{"name":"shop-web-side","namespace":"shop"},"spec":{"type":"cache"}}`)
	for _, object := range rendering.Objects {
		if object.Type != cue.OutputTypeComponent {
			t.Errorf("output %s is of type %s", object.Name, object.Type)
		}
	}

	made.Context.Outputs = map[string]map[string]any{"db": {"status": map[string]any{"exports": map[string]any{"host": "h"}}}}
	rendering, err = Render(made)
	if err != nil || len(rendering.Pending) > 0 {
		t.Fatalf("once db is live: %v, pending %v", err, rendering.Pending)
	}
	wantObject(t, rendering, "app", `{"apiVersion":"v1","kind":"App","host":"h",
		"metadata":{"name":"shop-web","labels":{"team":"a"},"annotations":{"note":"x"}}}`)
}

// A trait of KubeVela's shape is for the first output: while that waits, it must not patch the next one.
func TestV1TraitWaitsWithTheFirstOutput(t *testing.T) {
	made := request(t, composed, "", given{typ: "noted", source: `patch: metadata: annotations: note: "x"
outputs: more: {apiVersion: "v1", kind: "More"}`})
	rendering, err := Render(made)
	if err != nil || len(rendering.Objects) != 1 {
		t.Fatalf("got %v, %+v, want db alone", err, rendering)
	}
	wantObject(t, rendering, "db", `{"apiVersion":"core.wheelwright.dev/v1alpha1","kind":"Component",
		"metadata":{"name":"shop-web-db","namespace":"shop"},"spec":{"type":"postgres","properties":{"size":1}}}`)

	made.Context.Outputs = map[string]map[string]any{"db": {"status": map[string]any{"exports": map[string]any{"host": "h"}}}}
	if rendering, err = Render(made); err != nil || len(rendering.Objects) != 3 {
		t.Fatalf("once db is live: %v, %+v", err, rendering)
	}
	wantObject(t, rendering, "app", `{"apiVersion":"v1","kind":"App","host":"h","metadata":{"name":"shop-web","annotations":{"note":"x"}}}`)
}

// What only the hub gives cannot be had by way of a patch or a plain object either.
func TestComponentsHaveNoRevisionOfTheirOwn(t *testing.T) {
	_, err := Render(request(t, composed, "", given{typ: "bad", source: `
parameters: {}
patch: outputs: [{name: "db", value: spec: revision: "r1"}]`}))
	wantRefusal(t, err, "db: the spec of Component shop-web-db has revision, which only the hub gives")
	_, err = Render(request(t, `
parameters: {}
outputs: [{name: "x", value: {apiVersion: "core.wheelwright.dev/v1alpha1", kind: "Component", metadata: name: "x", spec: {type: "a", definitionSnapshot: name: "b"}}}]`, ""))
	wantRefusal(t, err, "x: the spec of Component x has definitionSnapshot")
}
