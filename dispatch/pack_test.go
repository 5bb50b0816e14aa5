package dispatch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	workv1 "open-cluster-management.io/api/work/v1"
)

func TestPack(t *testing.T) {
	for name, watch := range map[string]bool{"Watch": true, "OlderHub": false} {
		t.Run(name, func(t *testing.T) {
			d := delivery(t)
			work, err := Pack(d, Features{FeedbackWatch: watch})
			if err != nil {
				t.Fatal(err)
			}
			r := Revision(work)
			config := map[string]any{
				"resourceIdentifier": map[string]any{"group": "core.wheelwright.dev", "resource": "components", "namespace": "shop", "name": "shop-web"},
				"updateStrategy": map[string]any{"type": "ServerSideApply", "serverSideApply": map[string]any{
					"force": true, "fieldManager": "work-agent-wheelwright"}},
				"feedbackRules": []any{map[string]any{"type": "JSONPaths", "jsonPaths": []any{map[string]any{
					"name": "isHealthy-" + r, "path": `.status.health[?(@.revision=="` + r + `")].isHealthy`}}}},
			}
			if watch {
				config["feedbackScrapeType"] = "Watch"
			}
			want := map[string]any{
				"apiVersion": "work.open-cluster-management.io/v1", "kind": "ManifestWork",
				"metadata": map[string]any{
					"namespace": "dev-eu", "name": d.Content.WorkName(),
					"labels": map[string]any{KindLabel: "object", OwnerUIDLabel: "uid-1", NamespaceLabel: "shop"},
					"annotations": map[string]any{
						ContentHashAnnotation: d.Content.Hash(), RevisionAnnotation: r,
						ObjectAnnotation: "Component shop/shop-web", OwnerAnnotation: "Application/shop/shop",
					},
				},
				"spec": map[string]any{
					"deleteOption":    map[string]any{"propagationPolicy": "Foreground"},
					"manifestConfigs": []any{config},
					"workload": map[string]any{"manifests": []any{map[string]any{
						"apiVersion": "core.wheelwright.dev/v1alpha1", "kind": "Component",
						"metadata": map[string]any{"namespace": "shop", "name": "shop-web"},
						"spec":     map[string]any{"type": "webservice", "revision": r, "properties": map[string]any{"image": "web:1"}},
					}}},
				},
			}
			if diff := cmp.Diff(want, work.Object); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPackNamespaceLeavesTheNamespaceBehind(t *testing.T) {
	work, err := PackNamespace("dev-eu", "shop")
	if err != nil {
		t.Fatal(err)
	}
	spec := work.Object["spec"].(map[string]any)
	if diff := cmp.Diff(map[string]any{"propagationPolicy": "Orphan"}, spec["deleteOption"]); diff != "" {
		t.Error(diff)
	}
	want := []any{map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "shop"}}}
	if diff := cmp.Diff(want, spec["workload"].(map[string]any)["manifests"]); diff != "" {
		t.Error(diff)
	}
	if _, owned := work.GetLabels()[OwnerUIDLabel]; owned {
		t.Error("a namespace belongs to nobody, but its work names an owner")
	}
}

func TestDecide(t *testing.T) {
	cases := map[string]struct {
		change func(*workv1.ManifestWork) *workv1.ManifestWork
		want   Action
	}{
		"NoWork":      {func(*workv1.ManifestWork) *workv1.ManifestWork { return nil }, Create},
		"SameContent": {func(w *workv1.ManifestWork) *workv1.ManifestWork { return w }, Keep},
		"OtherContent": {func(w *workv1.ManifestWork) *workv1.ManifestWork {
			w.Annotations[ContentHashAnnotation] = "v1:other"
			return w
		}, Update},
		"HashLost": {func(w *workv1.ManifestWork) *workv1.ManifestWork { w.Annotations = nil; return w }, Update},
		"OtherOwner": {func(w *workv1.ManifestWork) *workv1.ManifestWork {
			w.Labels[OwnerUIDLabel] = "uid-2"
			return w
		}, Claimed},
		"NotOurs": {func(w *workv1.ManifestWork) *workv1.ManifestWork { w.Labels = nil; return w }, Claimed},
		"OwnLeaving": {func(w *workv1.ManifestWork) *workv1.ManifestWork {
			w.DeletionTimestamp = &metav1.Time{Time: noon}
			return w
		}, Wait},
		"OtherLeaving": {func(w *workv1.ManifestWork) *workv1.ManifestWork {
			w.Labels[OwnerUIDLabel], w.DeletionTimestamp = "uid-2", &metav1.Time{Time: noon}
			return w
		}, Claimed},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := delivery(t)
			if got := Decide(d, c.change(healthyWork(d))); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestParseOwner(t *testing.T) {
	d := delivery(t)
	work := healthyWork(d)
	if got, ok := ParseOwner(work); !ok || got != d.Owner {
		t.Errorf("got %v %v, want %v", got, ok, d.Owner)
	}
	for _, annotation := range []string{"", "x", "a/b", "a/b/c/d"} {
		work.Annotations[OwnerAnnotation] = annotation
		if got, ok := ParseOwner(work); ok {
			t.Errorf("%q was read as owner %v", annotation, got)
		}
	}
}
