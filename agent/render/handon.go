package render

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// handOn gives a Component that another one makes the account of that one, unless its definition names another, the definitions that
// came along for it, and those for what it makes itself. A type that is not among them is looked up on the cluster.
func handOn(from corev1alpha1.ComponentSpec, child *unstructured.Unstructured) error {
	named, _, _ := unstructured.NestedString(child.Object, "spec", "serviceAccountName")
	if named == "" && from.ServiceAccountName != "" {
		if err := unstructured.SetNestedField(child.Object, from.ServiceAccountName, "spec", "serviceAccountName"); err != nil {
			return fmt.Errorf("naming the account of Component %s: %w", child.GetName(), err)
		}
	}
	return handOnDefinitions(from.DefinitionSnapshot, child)
}

func handOnDefinitions(sent *corev1alpha1.DefinitionSnapshot, child *unstructured.Unstructured) error {
	if sent == nil {
		return nil
	}
	typ, _, err := unstructured.NestedString(child.Object, "spec", "type")
	if err != nil {
		return fmt.Errorf("reading the type of Component %s: %w", child.GetName(), err)
	}
	for _, one := range sent.Components {
		if one.Type != typ {
			continue
		}
		snapshot := &corev1alpha1.DefinitionSnapshot{
			Name: one.Name, DefinitionContent: one.DefinitionContent, Traits: sent.Traits, Components: sent.Components,
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(snapshot)
		if err != nil {
			return fmt.Errorf("encoding the definition of Component %s: %w", child.GetName(), err)
		}
		return unstructured.SetNestedMap(child.Object, content, "spec", "definitionSnapshot")
	}
	return nil
}
