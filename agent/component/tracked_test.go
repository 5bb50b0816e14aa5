package component

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/agent/tracker"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/cue"
)

// configObject is a resolved ConfigMap with a policy.
func configObject(name string, policy apply.Policy) apply.Object {
	made := &unstructured.Unstructured{Object: map[string]any{}}
	made.SetAPIVersion("v1")
	made.SetKind("ConfigMap")
	made.SetNamespace("shop")
	made.SetName(name)
	return apply.Object{Output: cue.Output{Name: name, Object: made}, Key: object.KeyOf(made), Policy: policy}
}

func configResource(name string) corev1alpha1.TrackedResource {
	return corev1alpha1.TrackedResource{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: name}
}

func TestTrackedOf(t *testing.T) {
	past := configObject("past", apply.Policy{Once: true})
	past.Applied = true
	objects := []apply.Object{
		configObject("plain", apply.Policy{}), past, configObject("retained", apply.Policy{Retain: true}),
		configObject("read", apply.Policy{Ownership: corev1alpha1.OwnershipReadOnly}),
	}
	want := []corev1alpha1.TrackedResource{configResource("plain"), configResource("past"), configResource("retained")}
	want[1].Applied, want[2].Retain = true, true
	if diff := cmp.Diff(want, trackedOf(objects, false)); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	for _, resource := range trackedOf(objects, true) {
		if !resource.After {
			t.Errorf("%s was not added afterwards", resource.Name)
		}
	}
}

func TestNoteApplied(t *testing.T) {
	once, failed, always := configObject("once", apply.Policy{Once: true}), configObject("failed", apply.Policy{Once: true}), configObject("always", apply.Policy{})
	resources := trackedOf([]apply.Object{once, failed, always}, false)
	noteApplied(resources, []apply.Object{once, failed, always}, []apply.State{{Output: once.Output}, {Output: always.Output}})
	want := []corev1alpha1.TrackedResource{configResource("once"), configResource("failed"), configResource("always")}
	want[0].Applied = true
	if diff := cmp.Diff(want, resources); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	ledger := &tracker.Ledger{Resources: resources}
	for _, tc := range []struct {
		ledger *tracker.Ledger
		key    object.Key
		want   bool
	}{{ledger, once.Key, true}, {ledger, failed.Key, false}, {nil, once.Key, false}} {
		if got := wasApplied(tc.ledger, tc.key); got != tc.want {
			t.Errorf("%s was applied: got %v, want %v", tc.key, got, tc.want)
		}
	}
}

func TestRetainObserved(t *testing.T) {
	leftover := []corev1alpha1.TrackedResource{configResource("read"), configResource("gone")}
	retainObserved(leftover, []*unstructured.Unstructured{configObject("read", apply.Policy{}).Output.Object})
	if !leftover[0].Retain || leftover[1].Retain {
		t.Errorf("got %v, want only the first one retained", leftover)
	}
}
