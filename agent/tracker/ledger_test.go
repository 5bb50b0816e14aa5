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

// inWave is resource as one that was recorded later.
func inWave(wave int32, resource corev1alpha1.TrackedResource) corev1alpha1.TrackedResource {
	resource.Wave = wave
	return resource
}

func listOf(resources ...corev1alpha1.TrackedResource) []corev1alpha1.TrackedResource {
	return resources
}

func TestRecorded(t *testing.T) {
	cases := map[string]struct {
		before, wanted, want []corev1alpha1.TrackedResource
	}{
		"what was recorded before stays": {listOf(config("a"), config("b")), listOf(config("c")), listOf(config("a"), config("b"), inWave(1, config("c")))},
		"it is in the order of applying": {nil, listOf(deployment("v1", "web"), config("a")), listOf(config("a"), deployment("v1", "web"))},
		"nothing is there twice":         {listOf(config("a")), listOf(config("a")), listOf(config("a"))},
		"each keeps its wave": {listOf(config("b"), inWave(3, config("a"))), listOf(config("a"), config("b"), config("0")),
			listOf(config("b"), inWave(3, config("a")), inWave(4, config("0")))},
		"one object at a new version": {listOf(deployment("v1beta1", "web")), listOf(deployment("v1", "web")), listOf(deployment("v1", "web"))},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := recorded(&Ledger{Resources: tc.before}, Wanted{Resources: tc.wanted})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("resources (-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff(listOf(config("a")), recorded(nil, Wanted{Resources: listOf(config("a"))})); diff != "" {
		t.Errorf("the first time (-want +got):\n%s", diff)
	}
}

func TestLeftover(t *testing.T) {
	before := &Ledger{Resources: listOf(config("a"), config("b"), deployment("v1beta1", "web"))}
	got := before.Leftover(listOf(config("b"), deployment("v1", "web")))
	if diff := cmp.Diff(listOf(config("a")), got); diff != "" {
		t.Errorf("leftover (-want +got):\n%s", diff)
	}
	if len(before.Resources) != 3 {
		t.Error("the ledger that was asked was changed")
	}
}

func TestContainsAll(t *testing.T) {
	ledger := &Ledger{Resources: listOf(inWave(2, config("a")), deployment("v1", "web"))}
	added := config("a")
	added.After = true
	for name, tc := range map[string]struct {
		resources []corev1alpha1.TrackedResource
		want      bool
	}{
		"nothing":         {nil, true},
		"some":            {listOf(deployment("v1", "web")), true},
		"of a later wave": {listOf(config("a")), true},
		"one more":        {listOf(config("a"), config("b")), false},
		"another version": {listOf(deployment("v1beta1", "web")), false},
		"another flag":    {listOf(added), false},
	} {
		if got := ledger.ContainsAll(tc.resources); got != tc.want {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}

func TestNamesAreOfOneComponentAlone(t *testing.T) {
	seen := map[string]object.Owner{}
	for _, one := range []object.Owner{
		{Namespace: "a", Name: "b.c"}, {Namespace: "a-b", Name: "c"}, {Namespace: "a", Name: "b-c"},
		{Namespace: "part-1", Name: "x"}, {Namespace: "a", Name: "b"},
	} {
		for index := range 3 {
			name := partName(one, index)
			if other, taken := seen[name]; taken {
				t.Errorf("Components %v and %v share the tracker %s", one, other, name)
			}
			seen[name] = one
		}
	}
}
