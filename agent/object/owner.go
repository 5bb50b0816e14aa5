package object

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Owner is the Component that an object belongs to.
type Owner = corev1alpha1.TrackedOwner

// OwnerFor is component as an owner.
func OwnerFor(component *corev1alpha1.Component) Owner {
	return Owner{Namespace: component.Namespace, Name: component.Name, UID: component.UID}
}

// OwnerOf reads the owner from the labels that SetOwner put on an object. It is false for an object of nobody.
func OwnerOf(labels map[string]string) (Owner, bool) {
	uid := labels[corev1alpha1.ComponentUIDLabel]
	return Owner{
		Namespace: labels[corev1alpha1.ComponentNamespaceLabel],
		Name:      labels[corev1alpha1.ComponentNameLabel],
		UID:       types.UID(uid),
	}, uid != ""
}

// SetOwner labels object as owner's, rendered by output.
func SetOwner(object *unstructured.Unstructured, owner Owner, output string) {
	labels := maps.Clone(object.GetLabels())
	if labels == nil {
		labels = map[string]string{}
	}
	labels[corev1alpha1.ComponentUIDLabel] = string(owner.UID)
	labels[corev1alpha1.ComponentNameLabel] = owner.Name
	labels[corev1alpha1.ComponentNamespaceLabel] = owner.Namespace
	labels[corev1alpha1.OutputLabel] = output
	object.SetLabels(labels)
}
