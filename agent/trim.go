package agent

import (
	"unique"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// trim drops what nobody reads on the way into the cache, and makes equal definition files share their memory: thousands of
// Components carry snapshots of a few definitions.
func trim(cached any) (any, error) {
	object, err := meta.Accessor(cached)
	if err != nil {
		return cached, nil // a tombstone, which the cache handles itself
	}
	object.SetManagedFields(nil)
	if _, ok := cached.(*metav1.PartialObjectMetadata); ok {
		// Of ConfigMaps and Secrets it matters only that they changed; an annotation of a Secret may hold all of it.
		object.SetAnnotations(nil)
		object.SetLabels(nil)
	}
	if component, ok := cached.(*corev1alpha1.Component); ok && component.Spec.DefinitionSnapshot != nil {
		share(component.Spec.DefinitionSnapshot.Files)
		for _, trait := range component.Spec.DefinitionSnapshot.Traits {
			share(trait.Files)
		}
		for _, made := range component.Spec.DefinitionSnapshot.Components {
			share(made.Files)
		}
	}
	return cached, nil
}

func share(files map[string]string) {
	for name, source := range files {
		files[name] = unique.Make(source).Value()
	}
}
