package render

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// maxDepth bounds the Components that lie one within the other. A definition that leads to itself would else fill the cluster.
const maxDepth = 8

// lineage are the types of a Component and of those that it is part of, the outermost first.
type lineage []string

// CompositionError says why a Component cannot be part of another one.
type CompositionError struct {
	// Name of the Component that was not made.
	Name string
	// Types leads to it, the outermost first.
	Types []string
	// Recursive is set where its type is among those above it, and else there are too many.
	Recursive bool
}

// Error names the Components that lead to the one that is refused.
func (e *CompositionError) Error() string {
	chain := strings.Join(e.Types, " > ")
	if e.Recursive {
		return fmt.Sprintf("Component %s would be part of itself: %s; change one of these definitions", e.Name, chain)
	}
	return fmt.Sprintf(
		"Component %s would be the Component number %d that lies within another one, of at most %d: %s; make the composition flatter",
		e.Name, len(e.Types), maxDepth, chain)
}

func lineageOf(component *corev1alpha1.Component) lineage {
	var above lineage
	if types := component.Annotations[corev1alpha1.ComposedByAnnotation]; types != "" {
		above = strings.Split(types, ",")
	}
	return append(above, component.Spec.Type)
}

// mark puts the lineage on a Component that is made by this one, unless that would go too far.
func (l lineage) mark(child *unstructured.Unstructured) error {
	typ, _, _ := unstructured.NestedString(child.Object, "spec", "type")
	refused := &CompositionError{Name: child.GetName(), Types: append(slices.Clone(l), typ)}
	refused.Recursive = slices.Contains(l, typ)
	if refused.Recursive || len(l) >= maxDepth {
		return refused
	}
	annotations := child.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[corev1alpha1.ComposedByAnnotation] = strings.Join(l, ",")
	child.SetAnnotations(annotations)
	return nil
}
