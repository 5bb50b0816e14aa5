package health

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	json, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(json); err != nil {
		t.Fatal(err)
	}
	return object
}

func TestGates(t *testing.T) {
	cases := map[string]struct {
		live string
		want string
	}{
		"deployment, old pods ready, not observed": {
			`{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2}, spec: {replicas: 2},
			  status: {observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2}}`,
			"its controller has seen generation 1 of 2"},
		"deployment, new, without status": {
			`{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 1}, spec: {replicas: 2}}`,
			"its controller has not seen it yet"},
		"deployment, observed, old pods ready, new one pending": {
			`{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2}, spec: {replicas: 2},
			  status: {observedGeneration: 2, replicas: 3, updatedReplicas: 1, readyReplicas: 2}}`,
			"1 of 2 pods are up to date"},
		"deployment, observed, the new pods beside old ones": {
			`{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2}, spec: {replicas: 2},
			  status: {observedGeneration: 2, replicas: 3, updatedReplicas: 2, readyReplicas: 3}}`,
			"1 old pods are still there"},
		"deployment, paused before its new template": {
			`{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2}, spec: {replicas: 2, paused: true},
			  status: {observedGeneration: 2, replicas: 2, readyReplicas: 2}}`,
			"0 of 2 pods are up to date"},
		"deployment, all new, none ready: the definition decides": {
			`{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2}, spec: {replicas: 2},
			  status: {observedGeneration: 2, replicas: 2, updatedReplicas: 2}}`, ""},
		"deployment, done": {
			`{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2}, spec: {replicas: 2},
			  status: {observedGeneration: 2, replicas: 2, updatedReplicas: 2, readyReplicas: 2}}`, ""},
		"deployment, no pods wanted": {
			`{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2}, spec: {replicas: 0}, status: {observedGeneration: 2}}`, ""},
		"deployment, one pod by default": {
			`{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 1}, spec: {}, status: {observedGeneration: 1}}`,
			"0 of 1 pods are up to date"},
		"stateful set, half way": {
			`{apiVersion: apps/v1, kind: StatefulSet, metadata: {generation: 2}, spec: {replicas: 3},
			  status: {observedGeneration: 2, replicas: 3, updatedReplicas: 1, readyReplicas: 3}}`,
			"1 of 3 pods are up to date"},
		"stateful set, partition": {
			`{apiVersion: apps/v1, kind: StatefulSet, metadata: {generation: 2},
			  spec: {replicas: 3, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 2}}},
			  status: {observedGeneration: 2, replicas: 3, updatedReplicas: 1}}`, ""},
		"stateful set, the user replaces pods": {
			`{apiVersion: apps/v1, kind: StatefulSet, metadata: {generation: 2}, spec: {replicas: 3, updateStrategy: {type: OnDelete}},
			  status: {observedGeneration: 2, replicas: 3}}`, ""},
		"daemon set, half way": {
			`{apiVersion: apps/v1, kind: DaemonSet, metadata: {generation: 2},
			  status: {observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 2}}`,
			"2 of 3 pods are up to date"},
		"daemon set, done": {
			`{apiVersion: apps/v1, kind: DaemonSet, metadata: {generation: 2},
			  status: {observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 3}}`, ""},
		"custom resource without conventions": {
			`{apiVersion: example.com/v1, kind: Widget, metadata: {generation: 9}, status: {phase: Running}}`, ""},
		"custom resource without status": {
			`{apiVersion: example.com/v1, kind: Widget, metadata: {generation: 9}}`, ""},
		"custom resource that has not caught up": {
			`{apiVersion: example.com/v1, kind: Widget, metadata: {generation: 9}, status: {observedGeneration: 8}}`,
			"its controller has seen generation 8 of 9"},
		"custom resource with another kind of field": {
			`{apiVersion: example.com/v1, kind: Widget, metadata: {generation: 9}, status: {observedGeneration: "eight"}}`, ""},
		"custom resource of a familiar name": {
			`{apiVersion: example.com/v1, kind: Deployment, metadata: {generation: 1}, spec: {replicas: 2}}`, ""},
		"config map": {`{apiVersion: v1, kind: ConfigMap}`, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			live := parse(t, tc.live)
			got := observed(live)
			if got == "" {
				got = rolledOut(live)
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
