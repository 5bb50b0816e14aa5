package apply

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"wheelwright.dev/wheelwright/shared/cue"
)

// live is an object as the watch shows it.
func live(uid types.UID, generation int64, version string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetUID(uid)
	object.SetGeneration(generation)
	object.SetResourceVersion(version)
	object.SetLabels(map[string]string{"app": "x", "foreign": "y"})
	return object
}

func TestDecide(t *testing.T) {
	workload := applied{hash: "h", uid: "u", generation: 5, resourceVersion: "100"}
	config := applied{hash: "h", uid: "u", resourceVersion: "100"}
	unlabelled := live("u", 5, "101")
	unlabelled.SetLabels(nil)
	cases := map[string]struct {
		last   applied
		live   *unstructured.Unstructured
		behind bool
		want   decision
	}{
		"as applied":                              {workload, live("u", 5, "100"), false, keep},
		"a new status since":                      {workload, live("u", 5, "140"), false, keep},
		"other content wanted":                    {applied{hash: "old", uid: "u", generation: 5, resourceVersion: "100"}, live("u", 5, "100"), false, write},
		"other content wanted, watch behind":      {applied{hash: "old", uid: "u", generation: 5, resourceVersion: "100"}, live("u", 4, "90"), true, write},
		"spec changed by somebody":                {workload, live("u", 6, "120"), false, write},
		"rendered label taken by somebody":        {workload, unlabelled, false, write},
		"deleted by somebody":                     {workload, nil, false, write},
		"deleted and made again by somebody":      {workload, live("v", 1, "120"), false, write},
		"older than the apply, watch behind":      {workload, live("u", 4, "90"), true, await},
		"older than the apply, store behind":      {workload, live("u", 4, "90"), false, await},
		"created, watch behind":                   {workload, nil, true, await},
		"made again, watch shows the one before":  {workload, live("v", 9, "90"), true, await},
		"no generation, as applied":               {config, live("u", 0, "100"), false, keep},
		"no generation, changed by somebody":      {config, live("u", 0, "101"), false, write},
		"no generation, older, watch behind":      {config, live("u", 0, "99"), true, await},
		"versions that are no numbers are no age": {applied{hash: "h", uid: "u", resourceVersion: "b"}, live("u", 0, "a"), false, write},
	}
	wanted := Object{Hash: "h", Output: cue.Output{Object: &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"app": "x"}},
	}}}}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := decide(wanted, tc.last, tc.live, tc.behind); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}
