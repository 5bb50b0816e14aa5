package owned

import (
	"unique"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// trim drops what nobody reads on the way into the cache, and makes equal names of fields share their memory: decoding gives each
// object a copy of all of them.
func trim(cached any) (any, error) {
	if object, ok := cached.(*unstructured.Unstructured); ok {
		object.SetManagedFields(nil)
		object.Object = shareNames(object.Object)
	}
	return cached, nil // or it is a tombstone, which the cache handles itself
}

func shareNames(fields map[string]any) map[string]any {
	shared := make(map[string]any, len(fields))
	for name, value := range fields {
		shared[unique.Make(name).Value()] = shareWithin(value)
	}
	return shared
}

func shareWithin(value any) any {
	switch value := value.(type) {
	case map[string]any:
		return shareNames(value)
	case []any:
		for i := range value {
			value[i] = shareWithin(value[i])
		}
	}
	return value
}
