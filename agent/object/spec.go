package object

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// SpecHash tells specs of Components apart by what they say, whatever the order in which it is written.
func SpecHash(spec corev1alpha1.ComponentSpec) string {
	encoded, err := json.Marshal(spec)
	if err != nil {
		return "" // it holds JSON that is none, and so is no spec that was ever on a cluster
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var value any
	_ = decoder.Decode(&value) // what was just encoded
	ordered, _ := json.Marshal(value)
	sum := sha256.Sum256(ordered)
	return hashVersion + hex.EncodeToString(sum[:16])
}

// SpecHashOf is SpecHash of an object that is a Component, rendered or live, and "" for all others.
func SpecHashOf(component *unstructured.Unstructured) string {
	kind := component.GroupVersionKind()
	if kind.Group != corev1alpha1.GroupVersion.Group || kind.Kind != "Component" {
		return ""
	}
	content, _, _ := unstructured.NestedMap(component.Object, "spec")
	spec := corev1alpha1.ComponentSpec{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &spec); err != nil {
		return "" // the API server refuses it
	}
	return SpecHash(spec)
}
