package render

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// chained is a chain of three, whose second link is shown by its statusPaths alone.
const chained = `
parameters: {text: string}
outputs: [
	{name: "third", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "third", data: v: context.status.second.v}},
	{name: "second", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "second", data: v: context.outputs.first.data.v},
		statusPaths: [{name: "v", path: ".data.v"}]},
	{name: "first", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "first"}},
]`

func TestRenderOverWhatIsLive(t *testing.T) {
	evaluator := evaluate.New(evaluate.Options{})
	defer evaluator.Close()
	cluster := map[string]*unstructured.Unstructured{}
	for _, name := range []string{"first", "second", "third"} {
		object := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"v": "of " + name}}}
		object.SetKind("ConfigMap")
		object.SetName(name)
		object.SetResourceVersion("7")
		cluster[name] = object
	}
	rendered := func(source string, live Live) *Rendering {
		t.Helper()
		owner := component("x")
		rendering, err := Render(t.Context(), evaluator, evaluate.Work{
			Type: "chained", Definition: definition.Definition{Name: "chained", Files: map[string]string{"template.cue": source}},
			Properties: Properties(owner), Context: Context(owner, Cluster{}),
		}, owner, live)
		if err != nil {
			t.Fatal(err)
		}
		return rendering
	}
	summary := func(rendering *Rendering) string {
		var names []string
		for _, output := range rendering.Outputs {
			names = append(names, output.Name)
		}
		for _, output := range rendering.Pending() {
			names = append(names, "("+output.Name+")")
		}
		return strings.Join(names, " ")
	}
	for _, tc := range []struct{ live, want string }{
		{"", "first (third) (second)"},
		{"first", "second first (third)"},
		{"first second", "third second first"},
		{"second third", "first (third) (second)"}, // what is live of an output that waits counts for nothing
	} {
		rendering := rendered(chained, func(_ context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			if strings.Contains(tc.live, object.GetName()) {
				return cluster[object.GetName()], nil
			}
			return nil, nil
		})
		if diff := cmp.Diff(tc.want, summary(rendering)); diff != "" {
			t.Errorf("with %q live (-want +got):\n%s", tc.live, diff)
		}
		if tc.live != "first second" {
			continue
		}
		if got := rendering.Outputs[0].Object.Object["data"].(map[string]any)["v"]; got != "of second" {
			t.Errorf("the third one has %v", got)
		}
		newer := cluster["first"].DeepCopy()
		newer.SetResourceVersion("8")
		if rendering.Outdated("first", cluster["first"]) || !rendering.Outdated("first", newer) || rendering.Outdated("third", newer) || rendering.Outdated("first", nil) {
			t.Error("outdated is not what it was rendered over")
		}
	}

	t.Log("what reads nothing asks for nothing")
	rendered(source, func(context.Context, *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		t.Error("asked for what is live")
		return nil, errors.New("nobody should ask")
	})
}
