package work

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	workv1 "open-cluster-management.io/api/work/v1"
)

const revisionPath = `.status.health[?(@.revision=="r7")].isHealthy`

func TestEvaluate(t *testing.T) {
	health := func(revision string, healthy bool) map[string]any {
		return map[string]any{"revision": revision, "isHealthy": healthy}
	}
	for name, row := range map[string]struct {
		status map[string]any
		path   string
		want   any // nil: no value
		synced metav1.ConditionStatus
	}{
		"boolean":                   {map[string]any{"isHealthy": true}, ".status.isHealthy", true, "True"},
		"false is a value":          {map[string]any{"isHealthy": false}, ".status.isHealthy", false, "True"},
		"string":                    {map[string]any{"isHealthy": "true"}, ".status.isHealthy", "true", "True"},
		"integer":                   {map[string]any{"replicas": int64(3)}, ".status.replicas", int64(3), "True"},
		"missing":                   {map[string]any{}, ".status.isHealthy", nil, "True"},
		"missing status":            {nil, ".status.isHealthy", nil, "True"},
		"null":                      {map[string]any{"isHealthy": nil}, ".status.isHealthy", nil, "True"},
		"fraction":                  {map[string]any{"load": 1.5}, ".status.load", nil, "False"},
		"map":                       {map[string]any{"a": map[string]any{}}, ".status.a", nil, "False"},
		"list":                      {map[string]any{"a": []any{true}}, ".status.a", nil, "False"},
		"whole object":              {nil, ".metadata.name", "gadget", "True"},
		"no path":                   {nil, ".status[", nil, "False"},
		"this revision":             {map[string]any{"health": []any{health("r6", true), health("r7", false)}}, revisionPath, false, "True"},
		"another revision":          {map[string]any{"health": []any{health("r6", true)}}, revisionPath, nil, "True"},
		"no revisions":              {map[string]any{}, revisionPath, nil, "True"},
		"first of several":          {map[string]any{"health": []any{health("r7", true), health("r7", false)}}, revisionPath, true, "True"},
		"filter on what is no list": {map[string]any{"health": true}, revisionPath, nil, "False"},
		"filter on a map":           {map[string]any{"health": health("r7", true)}, revisionPath, nil, "False"},
	} {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "gadget"}}}
			if row.status != nil {
				object.Object["status"] = row.status
			}
			values, condition := evaluate(object, []workv1.FeedbackRule{
				{Type: workv1.JSONPathsType, JsonPaths: []workv1.JsonPath{{Name: "value", Path: row.path}}},
			})
			var got any
			if len(values) > 0 {
				got = goValue(t, values[0].Value)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
			if condition.Status != row.synced {
				t.Errorf("condition %+v, want %s", condition, row.synced)
			}
		})
	}
}

func goValue(t *testing.T, value workv1.FieldValue) any {
	t.Helper()
	switch value.Type {
	case workv1.Boolean:
		return *value.Boolean
	case workv1.Integer:
		return *value.Integer
	case workv1.String:
		return *value.String
	}
	t.Fatalf("unexpected type %s", value.Type)
	return nil
}

func TestEvaluateKeepsWhatWorks(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"status": map[string]any{"replicas": int64(2), "readyReplicas": int64(1)},
	}}
	values, condition := evaluate(object, []workv1.FeedbackRule{
		{Type: workv1.JSONPathsType, JsonPaths: []workv1.JsonPath{
			{Name: "all", Path: ".status"},
			{Name: "beta", Path: ".status.replicas", Version: "v1beta1"},
			{Name: "stable", Path: ".status.replicas", Version: "v1"},
		}},
		{Type: workv1.WellKnownStatusType},
	})
	var names []string
	for _, value := range values {
		names = append(names, value.Name)
	}
	if diff := cmp.Diff([]string{"stable", "ReadyReplicas", "Replicas"}, names); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	want := "Sync status feedback failed with error " +
		"[the type map[string]interface {} of the value for all is not found, " +
		"version set in the path beta is not matched for the related resource]"
	if condition.Reason != "StatusFeedbackSyncFailed" || condition.Message != want {
		t.Errorf("condition %+v, want message %q", condition, want)
	}
}
