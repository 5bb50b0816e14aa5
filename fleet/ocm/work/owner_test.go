package work

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	workv1 "open-cluster-management.io/api/work/v1"
)

func reference(name, uid string) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: "work.open-cluster-management.io/v1", Kind: "AppliedManifestWork", Name: name, UID: types.UID(uid),
	}
}

func TestMergeOwner(t *testing.T) {
	ours, renewed, theirs := reference("ours", "1"), reference("ours", "2"), reference("theirs", "3")
	for name, row := range map[string]struct {
		references []metav1.OwnerReference
		released   bool
		want       []metav1.OwnerReference
		changed    bool
	}{
		"first owner":             {nil, false, []metav1.OwnerReference{ours}, true},
		"one more owner":          {[]metav1.OwnerReference{theirs}, false, []metav1.OwnerReference{theirs, ours}, true},
		"owner already":           {[]metav1.OwnerReference{ours, theirs}, false, []metav1.OwnerReference{ours, theirs}, false},
		"former record of ours":   {[]metav1.OwnerReference{renewed}, false, []metav1.OwnerReference{ours}, true},
		"release":                 {[]metav1.OwnerReference{theirs, ours}, true, []metav1.OwnerReference{theirs}, true},
		"release what is not own": {[]metav1.OwnerReference{theirs}, true, []metav1.OwnerReference{theirs}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, changed := mergeOwner(row.references, ownership{reference: ours, released: row.released})
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("owners (-want +got):\n%s", diff)
			}
			if changed != row.changed {
				t.Errorf("changed %v, want %v", changed, row.changed)
			}
		})
	}
}

func TestOrphaned(t *testing.T) {
	object := workv1.ManifestResourceMeta{Version: "v1", Resource: "configmaps", Namespace: "default", Name: "cm"}
	rule := func(namespace, name string) *workv1.SelectivelyOrphan {
		return &workv1.SelectivelyOrphan{OrphaningRules: []workv1.OrphaningRule{
			{Resource: "configmaps", Namespace: namespace, Name: name},
		}}
	}
	for name, row := range map[string]struct {
		option *workv1.DeleteOption
		want   bool
	}{
		"no option":                   {nil, false},
		"foreground":                  {&workv1.DeleteOption{PropagationPolicy: "Foreground", SelectivelyOrphan: rule("default", "cm")}, false},
		"orphan":                      {&workv1.DeleteOption{PropagationPolicy: "Orphan"}, true},
		"selectively, this one":       {&workv1.DeleteOption{PropagationPolicy: "SelectivelyOrphan", SelectivelyOrphan: rule("default", "cm")}, true},
		"selectively, another":        {&workv1.DeleteOption{PropagationPolicy: "SelectivelyOrphan", SelectivelyOrphan: rule("default", "other")}, false},
		"selectively, another's home": {&workv1.DeleteOption{PropagationPolicy: "SelectivelyOrphan", SelectivelyOrphan: rule("other", "cm")}, false},
		"selectively, no wildcards":   {&workv1.DeleteOption{PropagationPolicy: "SelectivelyOrphan", SelectivelyOrphan: rule("default", "*")}, false},
		"selectively, no rules":       {&workv1.DeleteOption{PropagationPolicy: "SelectivelyOrphan"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := orphaned(object, row.option); got != row.want {
				t.Errorf("orphaned %v, want %v", got, row.want)
			}
		})
	}
}

func TestDepart(t *testing.T) {
	ours, theirs := reference("ours", "1"), reference("theirs", "2")
	foreign := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "foreign", UID: "3"}
	now := metav1.Now()
	for name, row := range map[string]struct {
		owners   []metav1.OwnerReference
		recorded string
		deleted  *metav1.Time
		want     departure
	}{
		"ours alone":             {[]metav1.OwnerReference{ours}, "uid", nil, remove},
		"with a foreign owner":   {[]metav1.OwnerReference{foreign, ours}, "uid", nil, remove},
		"not ours":               {[]metav1.OwnerReference{theirs}, "uid", nil, leave},
		"nobody's":               {nil, "uid", nil, leave},
		"shared":                 {[]metav1.OwnerReference{ours, theirs}, "uid", nil, release},
		"shared and made again":  {[]metav1.OwnerReference{ours, theirs}, "former", nil, release},
		"made again":             {[]metav1.OwnerReference{ours}, "former", nil, leave},
		"going already":          {[]metav1.OwnerReference{ours}, "uid", &now, await},
		"shared and going":       {[]metav1.OwnerReference{ours, theirs}, "uid", &now, release},
		"made again and leaving": {[]metav1.OwnerReference{ours}, "former", &now, leave},
	} {
		t.Run(name, func(t *testing.T) {
			live := &unstructured.Unstructured{Object: map[string]any{}}
			live.SetUID("uid")
			live.SetOwnerReferences(row.owners)
			live.SetDeletionTimestamp(row.deleted)
			if got := depart(live, row.recorded, ours); got != row.want {
				t.Errorf("departure %v, want %v", got, row.want)
			}
		})
	}
}
