package cue

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/shared/definition"
)

func TestComposes(t *testing.T) {
	components, traits := Composes(definition.Definition{Name: "stack", Files: map[string]string{
		"a.cue": `
parameters: {db: bool, kind: string}
outputs: [
	{name: "app", type: "component", value: {type: "v1/web", properties: {type: "not this"}, traits: [{type: "label"}, {type: parameters.kind}]}},
	if parameters.db {{name: "db", type: "component", value: definition: "postgres"}},
	for n in ["x", "y"] {{name: n, type: "component", value: {type: "cache"}}},
	{name: "any", type: "component", value: type: parameters.kind},
	{name: "plain", type: "resource", value: {type: "neither"}},
	{name: "secret", value: {apiVersion: "v1", kind: "Secret", type: "Opaque"}},
]`,
		"b.cue": `more: {name: "late", type: "component", value: type: "late"}`,
	}})
	if diff := cmp.Diff([]string{"cache", "late", "postgres", "v1/web"}, components); diff != "" {
		t.Errorf("components (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"label"}, traits); diff != "" {
		t.Errorf("traits (-want +got):\n%s", diff)
	}
	if components, traits := Composes(definition.Definition{Name: "broken", Files: map[string]string{"a.cue": "outputs: ["}}); components != nil || traits != nil {
		t.Errorf("a broken definition composes %v and %v", components, traits)
	}
}
