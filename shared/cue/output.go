package cue

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// OutputTypeResource is the type of an output whose value is a Kubernetes object, and the default (KEP-2.1).
const OutputTypeResource = "resource"

// Output is one entry of a definition's outputs.
type Output struct {
	// Name is unique among the outputs and valid as a label value.
	Name string
	// Type says what Object is.
	Type string
	// Object is complete but for its namespace, which may be empty: that a kind is namespaced is not known here.
	Object *unstructured.Unstructured
	// StatusPaths are the values of the live object that health and exports read. Without any, they see its whole status.
	StatusPaths []StatusPath
}
