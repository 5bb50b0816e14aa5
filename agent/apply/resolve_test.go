package apply

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"wheelwright.dev/wheelwright/shared/cue"
)

func output(name, apiVersion, kind, namespace, object string) cue.Output {
	made := &unstructured.Unstructured{Object: map[string]any{}}
	made.SetAPIVersion(apiVersion)
	made.SetKind(kind)
	made.SetName(object)
	made.SetNamespace(namespace)
	return cue.Output{Name: name, Object: made}
}

func TestResolve(t *testing.T) {
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, meta.RESTScopeNamespace)
	mapper.Add(schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"}, meta.RESTScopeRoot)

	objects, failures := Resolve(mapper, []cue.Output{
		output("plain", "v1", "ConfigMap", "", "a"),
		output("elsewhere", "v1", "ConfigMap", "other", "a"),
		output("cluster", "rbac.authorization.k8s.io/v1", "ClusterRole", "shop", "a"),
		output("twice", "v1", "ConfigMap", "shop", "a"),
		output("unknown", "example.com/v1", "Widget", "", "a"),
	}, "shop")

	var got []string
	for _, one := range objects {
		got = append(got, one.Key.String())
	}
	if want := "ConfigMap shop/a, ConfigMap other/a, ClusterRole a"; strings.Join(got, ", ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	text := Failures(failures).Error()
	for _, want := range []string{
		"ConfigMap shop/a: is rendered by the outputs plain and twice",
		"Widget.example.com a: the cluster serves no kind Widget in example.com/v1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("failures lack %q: %s", want, text)
		}
	}
}
