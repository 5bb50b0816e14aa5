package object

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Key identifies an object on one cluster. It has no version: the same object is served at several.
type Key struct {
	Group, Kind, Namespace, Name string
}

// KeyOf is the identity of an object.
func KeyOf(object *unstructured.Unstructured) Key {
	kind := object.GroupVersionKind()
	return Key{Group: kind.Group, Kind: kind.Kind, Namespace: object.GetNamespace(), Name: object.GetName()}
}

// KeyOfTracked is the identity of an object that a tracker recorded.
func KeyOfTracked(resource corev1alpha1.TrackedResource) Key {
	return Key{Group: resource.Group, Kind: resource.Kind, Namespace: resource.Namespace, Name: resource.Name}
}

// Tracked is the record of an object in a tracker.
func Tracked(object *unstructured.Unstructured) corev1alpha1.TrackedResource {
	kind := object.GroupVersionKind()
	return corev1alpha1.TrackedResource{
		Group: kind.Group, Version: kind.Version, Kind: kind.Kind,
		Namespace: object.GetNamespace(), Name: object.GetName(),
		SpecHash: SpecHashOf(object),
	}
}

// KindOfTracked is the kind of an object that a tracker recorded, at the version that it was applied with.
func KindOfTracked(resource corev1alpha1.TrackedResource) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: resource.Group, Version: resource.Version, Kind: resource.Kind}
}

// String names the object as people do: Deployment shop/web, ClusterRole reader, Certificate.cert-manager.io shop/web.
func (k Key) String() string {
	name := k.Name
	if k.Namespace != "" {
		name = k.Namespace + "/" + k.Name
	}
	return schema.GroupKind{Group: shortGroup(k.Group), Kind: k.Kind}.String() + " " + name
}

// shortGroup leaves out the groups that Kubernetes itself serves, whose kinds everyone knows.
func shortGroup(group string) string {
	switch group {
	case "apps", "batch", "autoscaling", "policy", "apiextensions.k8s.io", "networking.k8s.io", "rbac.authorization.k8s.io":
		return ""
	}
	return group
}
