package work

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	workv1 "open-cluster-management.io/api/work/v1"
)

// manifest is one manifest of a work, made ready to be applied.
type manifest struct {
	meta   workv1.ManifestResourceMeta
	object *unstructured.Unstructured // nil when it cannot be parsed
	err    error                      // why it cannot be applied
}

// resourceOf is where on the spoke an object lives.
func resourceOf(object workv1.ManifestResourceMeta) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: object.Group, Version: object.Version, Resource: object.Resource}
}

// complete tells whether the object can be asked for.
func complete(object workv1.ManifestResourceMeta) bool {
	return object.Resource != "" && object.Version != "" && object.Name != ""
}

// parseManifests decodes and maps all manifests of a work, before any is applied: a manifest
// whose kind an earlier one would define fails now and succeeds when the work is tried again.
func parseManifests(raw []workv1.Manifest, mapper meta.RESTMapper) []manifest {
	manifests := make([]manifest, len(raw))
	for i := range raw {
		manifests[i] = parseManifest(raw[i].Raw, mapper)
		manifests[i].meta.Ordinal = int32(i)
	}
	return manifests
}

func parseManifest(raw []byte, mapper meta.RESTMapper) manifest {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(raw); err != nil {
		return manifest{err: err}
	}
	kind := object.GroupVersionKind()
	parsed := manifest{object: object, meta: workv1.ManifestResourceMeta{
		Group:     kind.Group,
		Version:   kind.Version,
		Kind:      kind.Kind,
		Name:      object.GetName(),
		Namespace: object.GetNamespace(),
	}}
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		parsed.err = fmt.Errorf("the server doesn't have a resource type %q", kind.Kind)
		return parsed
	}
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		parsed.meta.Namespace = ""
		object.SetNamespace("")
	}
	parsed.meta.Resource = mapping.Resource.Resource
	// A UID would be a precondition that only the object it was copied from can meet.
	object.SetUID("")
	return parsed
}
