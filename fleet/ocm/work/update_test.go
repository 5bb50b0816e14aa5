package work

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestMergeKeys(t *testing.T) {
	for name, row := range map[string]struct {
		live, required, want map[string]string
		changed              bool
	}{
		"nothing":             {nil, nil, map[string]string{}, false},
		"add":                 {map[string]string{"a": "1"}, map[string]string{"b": "2"}, map[string]string{"a": "1", "b": "2"}, true},
		"same":                {map[string]string{"a": "1", "b": "2"}, map[string]string{"a": "1"}, map[string]string{"a": "1", "b": "2"}, false},
		"change":              {map[string]string{"a": "1"}, map[string]string{"a": "2"}, map[string]string{"a": "2"}, true},
		"remove":              {map[string]string{"a": "1", "b": "2"}, map[string]string{"a-": ""}, map[string]string{"b": "2"}, true},
		"remove what is gone": {map[string]string{"b": "2"}, map[string]string{"a-": ""}, map[string]string{"b": "2"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, changed := mergeKeys(row.live, row.required)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
			if changed != row.changed {
				t.Errorf("changed %v, want %v", changed, row.changed)
			}
		})
	}
}

func TestToUpdate(t *testing.T) {
	owned := ownership{reference: reference("ours", "1")}
	object := func(kind string, fields map[string]any) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": "o"}}}
		for key, value := range fields {
			u.Object[key] = value
		}
		return u
	}
	live := func(kind string, fields map[string]any) *unstructured.Unstructured {
		u := object(kind, fields)
		u.SetOwnerReferences(append(u.GetOwnerReferences(), owned.reference))
		u.SetResourceVersion("7")
		return u
	}
	spec := func(size string) map[string]any { return map[string]any{"spec": map[string]any{"size": size}} }
	for name, row := range map[string]struct {
		required, live *unstructured.Unstructured
		changed        bool
	}{
		"equal":                     {object("Gadget", spec("s")), live("Gadget", spec("s")), false},
		"spec differs":              {object("Gadget", spec("s")), live("Gadget", spec("l")), true},
		"status does not count":     {object("Gadget", spec("s")), live("Gadget", map[string]any{"spec": map[string]any{"size": "s"}, "status": map[string]any{"a": "b"}}), false},
		"an owner is missing":       {object("Gadget", spec("s")), object("Gadget", spec("s")), true},
		"field more on the spoke":   {object("ConfigMap", nil), live("ConfigMap", map[string]any{"data": map[string]any{"a": "b"}}), true},
		"namespaces keep their own": {object("Namespace", nil), live("Namespace", spec("kubernetes")), false},
		"secret in plain":           {object("Secret", map[string]any{"stringData": map[string]any{"a": "b"}}), live("Secret", map[string]any{"type": "Opaque", "data": map[string]any{"a": "Yg=="}}), false},
	} {
		t.Run(name, func(t *testing.T) {
			desired, changed := toUpdate(row.required, row.live, owned)
			if changed != row.changed {
				t.Errorf("changed %v, want %v", changed, row.changed)
			}
			if desired.GetResourceVersion() != row.live.GetResourceVersion() {
				t.Errorf("version %q, want that of the live object", desired.GetResourceVersion())
			}
		})
	}
}

func TestToUpdateKeepsFinalizers(t *testing.T) {
	required := &unstructured.Unstructured{Object: map[string]any{"kind": "Gadget", "spec": map[string]any{"size": "s"}}}
	required.SetFinalizers([]string{"example.com/of-the-manifest"})
	live := &unstructured.Unstructured{Object: map[string]any{"kind": "Gadget"}}
	live.SetFinalizers([]string{"example.com/of-the-spoke"})
	desired, _ := toUpdate(required, live, ownership{reference: reference("ours", "1")})
	if diff := cmp.Diff(live.GetFinalizers(), desired.GetFinalizers()); diff != "" {
		t.Errorf("finalizers (-want +got):\n%s", diff)
	}
}

func TestDropNullCreationTimes(t *testing.T) {
	value := map[string]any{
		"metadata": map[string]any{"name": "a", "creationTimestamp": nil},
		"spec": map[string]any{"template": map[string]any{"metadata": map[string]any{"creationTimestamp": nil}}, "list": []any{
			map[string]any{"metadata": map[string]any{"creationTimestamp": nil, "name": "b"}},
		}},
	}
	dropNullCreationTimes(value)
	want := map[string]any{
		"metadata": map[string]any{"name": "a"},
		"spec": map[string]any{"template": map[string]any{"metadata": map[string]any{}}, "list": []any{
			map[string]any{"metadata": map[string]any{"name": "b"}},
		}},
	}
	if diff := cmp.Diff(want, value); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
