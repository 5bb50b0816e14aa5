package tracker

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

var owner = object.Owner{Namespace: "shop", Name: "web", UID: "u1"}

func config(name string) corev1alpha1.TrackedResource {
	return corev1alpha1.TrackedResource{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: name}
}

func deployment(version, name string) corev1alpha1.TrackedResource {
	return corev1alpha1.TrackedResource{Group: "apps", Version: version, Kind: "Deployment", Namespace: "shop", Name: name}
}

func ledger(hash string, resources ...corev1alpha1.TrackedResource) *corev1alpha1.ResourceTracker {
	made := &corev1alpha1.ResourceTracker{}
	made.Name = "shop.web"
	made.Spec = corev1alpha1.ResourceTrackerSpec{Component: owner, RenderHash: hash, Resources: resources}
	return made
}

func TestRecorded(t *testing.T) {
	cases := map[string]struct {
		before *corev1alpha1.ResourceTracker
		wanted Wanted
		want   *corev1alpha1.ResourceTracker
	}{
		"the first time": {nil, Wanted{Hash: "h1", Resources: []corev1alpha1.TrackedResource{deployment("v1", "web"), config("a")}},
			ledger("h1", config("a"), deployment("v1", "web"))},
		"what was recorded before stays": {ledger("h1", config("a"), config("b")), Wanted{Hash: "h2", Resources: []corev1alpha1.TrackedResource{config("c")}},
			ledger("h2", config("a"), config("b"), config("c"))},
		"only the content changed": {ledger("h1", config("a")), Wanted{Hash: "h2", Resources: []corev1alpha1.TrackedResource{config("a")}},
			ledger("h2", config("a"))},
		"one object at a new version": {ledger("h1", deployment("v1beta1", "web")), Wanted{Hash: "h2", Resources: []corev1alpha1.TrackedResource{deployment("v1", "web")}},
			ledger("h2", deployment("v1", "web"))},
		"not all can be named": {ledger("h1", config("a")), Wanted{Resources: []corev1alpha1.TrackedResource{config("b")}}, ledger("", config("a"), config("b"))},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, recorded(tc.before, owner, tc.wanted)); diff != "" {
				t.Errorf("tracker (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLeftover(t *testing.T) {
	before := ledger("h1", config("a"), config("b"), deployment("v1beta1", "web"))
	got := Leftover(before, []corev1alpha1.TrackedResource{config("b"), deployment("v1", "web")})
	if diff := cmp.Diff([]corev1alpha1.TrackedResource{config("a")}, got); diff != "" {
		t.Errorf("leftover (-want +got):\n%s", diff)
	}
	if got := Leftover(nil, nil); got != nil {
		t.Errorf("no tracker has leftovers %v", got)
	}
	if len(before.Spec.Resources) != 3 {
		t.Error("the tracker that was asked was changed")
	}
}

func TestName(t *testing.T) {
	// A namespace cannot hold a dot, so these two cannot be one.
	if a, b := Name(object.Owner{Namespace: "a", Name: "b.c"}), Name(object.Owner{Namespace: "a-b", Name: "c"}); a == b {
		t.Errorf("two Components share the tracker %s", a)
	}
}
