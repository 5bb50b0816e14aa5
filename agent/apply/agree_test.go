package apply

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/cue"
)

// parsed reads YAML as the API server's JSON is read.
func parsed(t *testing.T, text string) map[string]any {
	t.Helper()
	encoded, err := yaml.ToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	made := &unstructured.Unstructured{}
	if err := made.UnmarshalJSON(encoded); err != nil {
		t.Fatal(err)
	}
	return made.Object
}

const header = "apiVersion: apps/v1\nkind: Deployment\n"

func TestContains(t *testing.T) {
	cases := map[string]struct {
		live, wanted string
		want         bool
	}{
		"the same":                          {"spec: {replicas: 1}", "spec: {replicas: 1}", true},
		"drifted value":                     {"spec: {replicas: 2}", "spec: {replicas: 1}", false},
		"field taken away":                  {"spec: {}", "spec: {replicas: 1}", false},
		"fields of others":                  {"spec: {replicas: 1, paused: true}\nstatus: {x: 1}", "spec: {replicas: 1}", true},
		"defaults within a list":            {"spec: {ports: [{port: 80, protocol: TCP}]}", "spec: {ports: [{port: 80}]}", true},
		"another entry in a list":           {"spec: {args: [a, b]}", "spec: {args: [a]}", false},
		"an entry less in a list":           {"spec: {args: [a]}", "spec: {args: [a, b]}", false},
		"another order in a list":           {"spec: {args: [b, a]}", "spec: {args: [a, b]}", false},
		"a list where a map is wanted":      {"spec: [a]", "spec: {a: 1}", false},
		"a map where a list is wanted":      {"spec: {a: 1}", "spec: [a]", false},
		"a map where a scalar is wanted":    {"spec: {a: 1}", "spec: 1", false},
		"one number written in two ways":    {"spec: {x: 1.0}", "spec: {x: 1}", true},
		"numbers that differ":               {"spec: {x: 1.5}", "spec: {x: 1}", false},
		"a number and its text":             {"spec: {x: '1'}", "spec: {x: 1}", false},
		"a quantity that is not canonical":  {"spec: {memory: 1Gi}", "spec: {memory: 1024Mi}", false},
		"nothing where null is wanted":      {"spec: {}", "spec: {x: null}", false},
		"an entry that a selector got":      {"spec: {selector: {app: x, more: y}}", "spec: {selector: {app: x}}", false},
		"an expression that a selector got": {"spec: {podSelector: {matchLabels: {app: x}, matchExpressions: []}}", "spec: {podSelector: {matchLabels: {app: x}}}", false},
		"a selector as it is":               {"spec: {nodeSelector: {app: x}, more: 1}", "spec: {nodeSelector: {app: x}}", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := contains(parsed(t, header+tc.live), parsed(t, header+tc.wanted), false); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestAgrees(t *testing.T) {
	owner := object.Owner{Namespace: "shop", Name: "web", UID: "u1"}
	rendered := &unstructured.Unstructured{Object: parsed(t, header+"spec: {replicas: 1}")}
	object.SetOwner(rendered, owner, "web")
	wanted := Object{Hash: "h", Output: cue.Output{Object: rendered}}
	liveWith := func(change func(*unstructured.Unstructured)) *unstructured.Unstructured {
		live := rendered.DeepCopy()
		live.SetAnnotations(map[string]string{corev1alpha1.AppliedHashAnnotation: "h"})
		change(live)
		return live
	}
	cases := map[string]struct {
		live *unstructured.Unstructured
		want bool
	}{
		"as applied":       {liveWith(func(*unstructured.Unstructured) {}), true},
		"not there":        {nil, false},
		"of another owner": {liveWith(func(l *unstructured.Unstructured) { object.SetOwner(l, object.Owner{UID: "u2"}, "web") }), false},
		"of nobody":        {liveWith(func(l *unstructured.Unstructured) { l.SetLabels(nil) }), false},
		"of an earlier rendering, which may have had more fields": {
			liveWith(func(l *unstructured.Unstructured) {
				l.SetAnnotations(map[string]string{corev1alpha1.AppliedHashAnnotation: "g"})
			}), false},
		"applied by an agent that wrote no hash": {liveWith(func(l *unstructured.Unstructured) { l.SetAnnotations(nil) }), false},
		"drifted":                                {liveWith(func(l *unstructured.Unstructured) { l.Object["spec"] = map[string]any{"replicas": int64(3)} }), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := agrees(owner, wanted, tc.live); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
