// Package mergepatch builds the JSON merge patches of the stand-ins. All are locked: they carry
// the object's UID and resourceVersion, so that one fails with a conflict, and loses nothing,
// when somebody else has written since the object was read.
package mergepatch

import (
	"encoding/json"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Status returns the patch that turns one status of the object into another.
func Status(object metav1.Object, before, after any) ([]byte, error) {
	return between(object, map[string]any{"status": before}, map[string]any{
		"metadata": identity(object),
		"status":   after,
	})
}

// LabelsAndSpec returns the patch that turns the labels and the spec of one object into those
// of its changed copy.
func LabelsAndSpec(object metav1.Object, before any, changed metav1.Object, after any) ([]byte, error) {
	metadata := identity(object)
	metadata["labels"] = changed.GetLabels()
	return between(object,
		map[string]any{"metadata": map[string]any{"labels": object.GetLabels()}, "spec": before},
		map[string]any{"metadata": metadata, "spec": after})
}

func between(object metav1.Object, before, after map[string]any) ([]byte, error) {
	beforeJSON, err := json.Marshal(before)
	if err != nil {
		return nil, fmt.Errorf("cannot encode %s: %w", object.GetName(), err)
	}
	afterJSON, err := json.Marshal(after)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the changed %s: %w", object.GetName(), err)
	}
	patch, err := jsonpatch.CreateMergePatch(beforeJSON, afterJSON)
	if err != nil {
		return nil, fmt.Errorf("cannot tell what changed in %s: %w", object.GetName(), err)
	}
	return patch, nil
}

// Metadata returns the patch that sets one field of the object's metadata.
func Metadata(object metav1.Object, field string, value any) ([]byte, error) {
	metadata := identity(object)
	metadata[field] = value
	patch, err := json.Marshal(map[string]any{"metadata": metadata})
	if err != nil {
		return nil, fmt.Errorf("cannot encode the %s of %s: %w", field, object.GetName(), err)
	}
	return patch, nil
}

// Spec returns the patch that sets the given fields of the object's spec.
func Spec(object metav1.Object, spec any) ([]byte, error) {
	patch, err := json.Marshal(map[string]any{"metadata": identity(object), "spec": spec})
	if err != nil {
		return nil, fmt.Errorf("cannot encode the spec of %s: %w", object.GetName(), err)
	}
	return patch, nil
}

func identity(object metav1.Object) map[string]any {
	return map[string]any{"uid": object.GetUID(), "resourceVersion": object.GetResourceVersion()}
}
