package object

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

func newObject(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	made := &unstructured.Unstructured{Object: map[string]any{}}
	made.SetAPIVersion(apiVersion)
	made.SetKind(kind)
	made.SetNamespace(namespace)
	made.SetName(name)
	return made
}

func TestKey(t *testing.T) {
	if a, b := KeyOf(newObject("apps/v1beta1", "Deployment", "shop", "web")), KeyOf(newObject("apps/v1", "Deployment", "shop", "web")); a != b {
		t.Errorf("one object at two versions has the keys %v and %v", a, b)
	}
	web := newObject("apps/v1", "Deployment", "shop", "web")
	if got := KeyOfTracked(Tracked(web)); got != KeyOf(web) {
		t.Errorf("the tracked object has key %v, want %v", got, KeyOf(web))
	}
	if got := KindOfTracked(Tracked(web)); got != web.GroupVersionKind() {
		t.Errorf("the tracked object has kind %v, want %v", got, web.GroupVersionKind())
	}
	for want, object := range map[string]*unstructured.Unstructured{
		"Deployment shop/web":                  web,
		"ConfigMap shop/web":                   newObject("v1", "ConfigMap", "shop", "web"),
		"ClusterRole reader":                   newObject("rbac.authorization.k8s.io/v1", "ClusterRole", "", "reader"),
		"Certificate.cert-manager.io shop/web": newObject("cert-manager.io/v1", "Certificate", "shop", "web"),
	} {
		if got := KeyOf(object).String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestRank(t *testing.T) {
	order := []*unstructured.Unstructured{
		newObject("v1", "Namespace", "", "a"),
		newObject("v1", "ServiceAccount", "a", "a"),
		newObject("v1", "ConfigMap", "a", "a"),
		newObject("v1", "Service", "a", "a"),
		newObject("apps/v1", "Deployment", "a", "a"),
		newObject("example.com/v1", "Deployment", "a", "a"), // no kind of Kubernetes' own, whatever its name
	}
	for i, object := range order {
		kind := object.GroupVersionKind()
		if got := Rank(kind.Group, kind.Kind); got != i {
			t.Errorf("%s has rank %d, want %d", kind, got, i)
		}
	}
	if Rank("apiextensions.k8s.io", "CustomResourceDefinition") >= Rank("example.com", "Widget") {
		t.Error("a custom resource is applied before its definition")
	}
}

func TestOwner(t *testing.T) {
	owner := Owner{Namespace: "shop", Name: "web", UID: "u1"}
	object := newObject("v1", "ConfigMap", "shop", "web")
	object.SetLabels(map[string]string{"app": "x"})
	before := object.GetLabels()
	SetOwner(object, owner, "config")
	if got, ok := OwnerOf(object.GetLabels()); !ok || got != owner {
		t.Errorf("got owner %v %v, want %v", got, ok, owner)
	}
	if labels := object.GetLabels(); labels["app"] != "x" || labels[corev1alpha1.OutputLabel] != "config" {
		t.Errorf("got labels %v", labels)
	}
	if _, ok := OwnerOf(before); ok {
		t.Error("an object without the labels has an owner")
	}
}

func TestHash(t *testing.T) {
	hash := func(objects ...*unstructured.Unstructured) string {
		sum, err := HashAll(objects)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	a, b := newObject("v1", "ConfigMap", "shop", "a"), newObject("v1", "ConfigMap", "shop", "b")
	if hash(a, b) != hash(a.DeepCopy(), b.DeepCopy()) {
		t.Error("equal objects have different hashes")
	}
	for name, other := range map[string]string{"another order": hash(b, a), "one less": hash(a), "none": hash()} {
		if other == hash(a, b) {
			t.Errorf("%s has the same hash", name)
		}
	}
	// Integers that floats cannot tell apart are told apart.
	first, second := a.DeepCopy(), a.DeepCopy()
	first.Object["n"], second.Object["n"] = int64(9007199254740992), int64(9007199254740993)
	if hash(first) == hash(second) {
		t.Error("two large integers have one hash")
	}
}
