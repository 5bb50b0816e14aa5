package work

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	workv1 "open-cluster-management.io/api/work/v1"
)

func object(ordinal int32, name string) workv1.ManifestResourceMeta {
	return workv1.ManifestResourceMeta{Ordinal: ordinal, Version: "v1", Resource: "configmaps", Name: name}
}

func TestFindManifest(t *testing.T) {
	entry := func(o workv1.ManifestResourceMeta) workv1.ManifestCondition {
		return workv1.ManifestCondition{ResourceMeta: o}
	}
	manifests := []workv1.ManifestCondition{
		entry(object(0, "a")), entry(object(1, "b")), entry(object(2, "twice")), entry(object(3, "twice")), entry(workv1.ManifestResourceMeta{Ordinal: 4}),
	}
	for name, row := range map[string]struct {
		object workv1.ManifestResourceMeta
		want   int // -1: none
	}{
		"where it was":            {object(1, "b"), 1},
		"moved":                   {object(5, "a"), 0},
		"new":                     {object(0, "c"), -1},
		"twice, where it was":     {object(3, "twice"), 3},
		"twice, moved":            {object(5, "twice"), -1},
		"unparsed, where it was":  {workv1.ManifestResourceMeta{Ordinal: 4}, 4},
		"unparsed is not another": {workv1.ManifestResourceMeta{Ordinal: 5}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			got := -1
			if found := findManifest(manifests, row.object); found != nil {
				got = int(found.ResourceMeta.Ordinal)
			}
			if got != row.want {
				t.Errorf("entry %d, want %d", got, row.want)
			}
		})
	}
}

func TestWithOutcomes(t *testing.T) {
	healthy := true
	past := metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))
	before := workv1.ManifestWorkStatus{
		Conditions: []metav1.Condition{{Type: "Applied", Status: "True", ObservedGeneration: 1, LastTransitionTime: past}},
		ResourceStatus: workv1.ManifestResourceStatus{Manifests: []workv1.ManifestCondition{{
			ResourceMeta: object(0, "a"),
			Conditions: []metav1.Condition{
				{Type: "Applied", Status: "True", ObservedGeneration: 1, LastTransitionTime: past},
				{Type: "Available", Status: "True", LastTransitionTime: past},
			},
			StatusFeedbacks: workv1.StatusFeedbackResult{Values: []workv1.FeedbackValue{
				{Name: "isHealthy", Value: workv1.FieldValue{Type: workv1.Boolean, Boolean: &healthy}},
			}},
		}}},
	}

	same := withOutcomes(before, []outcome{{meta: object(0, "a")}}, 1)
	if same.Conditions[0].LastTransitionTime != past || same.ResourceStatus.Manifests[0].Conditions[0].LastTransitionTime != past {
		t.Errorf("transition times have moved without a change: %+v", same)
	}

	next := withOutcomes(before, []outcome{{meta: object(0, "b")}, {meta: object(1, "a")}}, 2)
	if next.Conditions[0].LastTransitionTime != past || next.Conditions[0].ObservedGeneration != 2 {
		t.Errorf("the work's condition must move to the new generation and keep its time: %+v", next.Conditions[0])
	}
	moved := next.ResourceStatus.Manifests[1]
	condition := meta.FindStatusCondition(moved.Conditions, "Applied")
	if condition.LastTransitionTime == past || condition.ObservedGeneration != 2 {
		t.Errorf("the manifest's condition must move to the new generation with a new time: %+v", condition)
	}
	if meta.FindStatusCondition(moved.Conditions, "Available") == nil || len(moved.StatusFeedbacks.Values) != 1 {
		t.Errorf("the manifest must keep what else was known of it: %+v", moved)
	}

	failed := withOutcomes(before, []outcome{{meta: object(0, "a"), err: errors.New("no luck")}}, 2)
	if condition := failed.Conditions[0]; condition.Status != "False" || condition.Reason != "AppliedManifestWorkFailed" {
		t.Errorf("the work's condition: %+v", condition)
	}
	condition = meta.FindStatusCondition(failed.ResourceStatus.Manifests[0].Conditions, "Applied")
	if condition.Reason != "AppliedManifestFailed" || condition.Message != "Failed to apply manifest: no luck" {
		t.Errorf("the manifest's condition: %+v", condition)
	}

	empty := withOutcomes(before, nil, 2)
	if diff := cmp.Diff(before.Conditions, empty.Conditions); diff != "" || len(empty.ResourceStatus.Manifests) != 0 {
		t.Errorf("without manifests the conditions stay (-want +got):\n%s", diff)
	}
}

func TestWorkAvailable(t *testing.T) {
	for name, row := range map[string]struct {
		statuses []metav1.ConditionStatus // "" is a manifest that nobody has looked at
		want     metav1.ConditionStatus
		message  string
	}{
		"all":                   {[]metav1.ConditionStatus{"True", "True"}, "True", "All resources are available"},
		"one missing":           {[]metav1.ConditionStatus{"True", "False"}, "False", "1 of 2 resources are not available"},
		"one unknown":           {[]metav1.ConditionStatus{"Unknown", "True"}, "Unknown", "1 of 2 resources have unknown status"},
		"missing beats unknown": {[]metav1.ConditionStatus{"Unknown", "False", "True"}, "False", "1 of 3 resources are not available"},
		"none":                  {nil, "Unknown", "cannot get any available resource "},
		"nobody has looked":     {[]metav1.ConditionStatus{""}, "Unknown", "cannot get any available resource "},
	} {
		t.Run(name, func(t *testing.T) {
			var manifests []workv1.ManifestCondition
			for _, status := range row.statuses {
				manifest := workv1.ManifestCondition{}
				if status != "" {
					manifest.Conditions = []metav1.Condition{{Type: "Available", Status: status}}
				}
				manifests = append(manifests, manifest)
			}
			got := workAvailable(manifests, 3)
			if got.Status != row.want || got.Message != row.message || got.ObservedGeneration != 3 {
				t.Errorf("condition %+v, want %s %q", got, row.want, row.message)
			}
		})
	}
}
