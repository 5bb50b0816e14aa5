package conformance

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "rewrite testdata/status by what the agent under test says, which should be OCM's")

// TestWording compares whole statuses, word for word, with those that OCM's agent wrote.
func TestWording(t *testing.T) {
	for name, describe := range map[string]func(*row) manifestWork{
		"healthy":  healthyWork,
		"failing":  failingWork,
		"feedback": workWithBadFeedback,
	} {
		t.Run("wording of "+name, func(t *testing.T) {
			r := unpolled(t)
			w := describe(r)
			w.name = r.namespace
			r.create(w)
			r.awaitWork(w.name, reportedOn)
			r.fence()
			r.matchesGolden(name, w.name)
		})
	}
}

func healthyWork(r *row) manifestWork {
	gadget := r.gadget("gadget", map[string]any{"size": "small", "count": 3, "on": true})
	c := feedback(gadget, map[string]string{"size": ".spec.size"})
	c.UpdateStrategy = serverSide(gadget, "work-agent-wheelwright", true).UpdateStrategy
	return manifestWork{manifests: []object{gadget, r.configMap("cm", ""), r.gizmo()}, configs: []config{c}}
}

func failingWork(r *row) manifestWork {
	homeless := r.configMap("homeless", "")
	homeless.SetNamespace(r.namespace + "-missing")
	theirs := r.gadget("conflict", map[string]any{"size": "theirs"})
	r.must(spoke.Patch(r.Context(), theirs, client.Apply, client.FieldOwner("other")))
	ours := r.gadget("conflict", map[string]any{"size": "ours"})
	absent := r.gadget("absent", nil)
	return manifestWork{
		manifests: []object{
			homeless, r.vault("vault"), ours, absent,
			newObject("unknown.example.com/v1", "Unknown", r.namespace, "unknown", nil),
			newObject("v1", "ConfigMap", r.namespace, "bad", map[string]any{"data": map[string]any{"not a key": "x"}}),
		},
		configs: []config{
			serverSide(ours, "", false),
			config{ResourceIdentifier: identifierOf(absent)}.with(workv1.UpdateStrategyTypeReadOnly),
		},
	}
}

func workWithBadFeedback(r *row) manifestWork {
	gadget := r.gadget("gadget", map[string]any{"size": "small", "list": []any{"a"}, "load": 1.5, "nothing": nil})
	c := feedback(gadget, nil)
	c.FeedbackRules = []workv1.FeedbackRule{
		{Type: workv1.JSONPathsType, JsonPaths: []workv1.JsonPath{
			{Name: "object", Path: ".spec"},
			{Name: "list", Path: ".spec.list"},
			{Name: "load", Path: ".spec.load"},
			{Name: "nothing", Path: ".spec.nothing"},
			{Name: "missing", Path: ".spec.missing"},
			{Name: "unfinished", Path: ".spec["},
			{Name: "filter", Path: `.spec.size[?(@.a=="b")]`},
			{Name: "beta", Path: ".spec.size", Version: "v1beta1"},
			{Name: "size", Path: ".spec.size"},
		}},
		{Type: workv1.WellKnownStatusType},
	}
	return manifestWork{manifests: []object{gadget}, configs: []config{c}}
}

// reportedOn wants every manifest to have been applied, or not, and looked at.
func reportedOn(work *workv1.ManifestWork) error {
	if len(work.Status.ResourceStatus.Manifests) == 0 {
		return fmt.Errorf("nothing has been applied")
	}
	for _, manifest := range work.Status.ResourceStatus.Manifests {
		if meta.FindStatusCondition(manifest.Conditions, "Available") == nil {
			return fmt.Errorf("%s has not been looked at", manifest.ResourceMeta.Name)
		}
	}
	return nil
}

// matchesGolden compares the statuses of the work and of its record with the file of that name.
func (r *row) matchesGolden(name, work string) {
	r.Helper()
	status := r.mustWork(work).Status
	normalise(status.Conditions)
	for i := range status.ResourceStatus.Manifests {
		normalise(status.ResourceStatus.Manifests[i].Conditions)
	}
	record := r.mustRecord(work).Status
	for i := range record.AppliedResources {
		record.AppliedResources[i].UID = "uid"
	}
	got, err := yaml.Marshal(map[string]any{"work": status, "record": record})
	r.must(err)

	path := filepath.Join("testdata", "status", name+".yaml")
	if *update {
		r.must(os.MkdirAll(filepath.Dir(path), 0o755))
		r.must(os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	r.must(err)
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		r.Errorf("status (-OCM's +got):\n%s", diff)
	}
}

// normalise takes out of conditions what differs from run to run.
func normalise(conditions []metav1.Condition) {
	slices.SortFunc(conditions, func(a, b metav1.Condition) int { return strings.Compare(a.Type, b.Type) })
	for i := range conditions {
		conditions[i].LastTransitionTime = metav1.Time{}
	}
}
