package cue

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Types of outputs (KEP-2.1).
const (
	// OutputTypeResource is the type of an output whose value is a Kubernetes object, and the default.
	OutputTypeResource = "resource"
	// OutputTypeComponent is the type of an output whose value says which component to make of which definition.
	OutputTypeComponent = "component"
)

// Output is one entry of a definition's outputs.
type Output struct {
	// Name is unique among the outputs and valid as a label value.
	Name string
	// Type says what Object is.
	Type string
	// Object is complete but for its namespace, which may be empty: that a kind is namespaced is not known here. A component is the
	// object Component. Nil while the output waits.
	Object *unstructured.Unstructured
	// StatusPaths are the values of the live object that health and exports read. Without any, they see its whole status.
	StatusPaths []StatusPath
	// Waits is what the output reads of others and what is not there yet. Such an output is not rendered.
	Waits []Reference
}
