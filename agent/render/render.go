// Package render turns a Component and its definition into the objects that should be on the cluster. It is pure.
package render

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/cue"
)

// Rendering is what a Component renders to at one generation.
type Rendering struct {
	// Template that rendered it, and that judges it.
	Template *cue.Template
	// Outputs in the order in which they are applied. Their objects carry the owner's labels; those of namespaced kinds may
	// still lack a namespace.
	Outputs []cue.Output
	// Hash tells renderings apart.
	Hash string
}

// Render evaluates template for component. The error is a *cue.Error unless something is wrong with the program itself.
// Properties must have been checked.
func Render(template *cue.Template, component *corev1alpha1.Component) (*Rendering, error) {
	outputs, err := template.Render(Context(component), Properties(component))
	if err != nil {
		return nil, err
	}
	owner := object.OwnerFor(component)
	objects := make([]*unstructured.Unstructured, 0, len(outputs))
	slices.SortStableFunc(outputs, func(a, b cue.Output) int { return cmp.Compare(rank(a), rank(b)) })
	for _, output := range outputs {
		object.SetOwner(output.Object, owner, output.Name)
		objects = append(objects, output.Object)
	}
	hash, err := object.HashAll(objects)
	if err != nil {
		return nil, err
	}
	return &Rendering{Template: template, Outputs: outputs, Hash: hash}, nil
}

// Context is what definitions see of component.
func Context(component *corev1alpha1.Component) cue.Context {
	return cue.Context{Name: component.Name, Namespace: component.Namespace}
}

// Properties are component's properties as JSON, which may be empty.
func Properties(component *corev1alpha1.Component) []byte {
	if component.Spec.Properties == nil {
		return nil
	}
	return component.Spec.Properties.Raw
}

func rank(output cue.Output) int {
	kind := output.Object.GroupVersionKind()
	return object.Rank(kind.Group, kind.Kind)
}
