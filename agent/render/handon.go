package render

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// handOn gives a Component that another one makes the definitions that came along for it, and for what it makes itself. A type
// that is not among them is looked up on the cluster.
func handOn(sent *corev1alpha1.DefinitionSnapshot, child *unstructured.Unstructured) error {
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
