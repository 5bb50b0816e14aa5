package admission

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	workv1 "open-cluster-management.io/api/work/v1"
)

// DefaultLimit is how many bytes the manifests of one work may have together.
const DefaultLimit = 500 * 1024

// validateManifests says what is wrong with the manifests of a work.
func validateManifests(manifests []workv1.Manifest, limit int) error {
	if len(manifests) == 0 {
		return errors.New("manifests should not be empty")
	}
	size := 0
	for _, manifest := range manifests {
		size += manifest.Size()
	}
	if size > limit {
		return fmt.Errorf("the size of manifests is %d bytes which exceeds the %d limit", size, limit)
	}
	return validateEach(manifests)
}

// identity is what no two manifests of a work may share.
type identity struct{ apiVersion, kind, namespace, name string }

func validateEach(manifests []workv1.Manifest) error {
	seen := map[identity]bool{}
	for i, manifest := range manifests {
		object := &unstructured.Unstructured{}
		if err := runtime.DecodeInto(unstructured.UnstructuredJSONScheme, manifest.Raw, object); err != nil {
			return fmt.Errorf("manifest %d cannot be decoded: %w", i, err)
		}
		switch id := (identity{object.GetAPIVersion(), object.GetKind(), object.GetNamespace(), object.GetName()}); {
		case id.name == "":
			return errors.New("name must be set in manifest")
		case object.GetGenerateName() != "":
			return errors.New("generateName must not be set in manifest")
		case seen[id]:
			return fmt.Errorf("duplicate manifest for resource %s/%s with resource type %s.%s",
				id.namespace, id.name, id.apiVersion, id.kind)
		default:
			seen[id] = true
		}
	}
	return nil
}
