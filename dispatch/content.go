package dispatch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// MaxManifestBytes is the most that the manifests of one ManifestWork may hold, by OCM's own count: the protobuf size of
// its manifests (OCM's default, enforced by its admission webhook).
const MaxManifestBytes = 500 * 1024

// hashVersion names the canonical form that new content is hashed by. A work keeps the version that it was written with
// until its content changes, so that a new version rewrites nothing by itself.
const hashVersion = "v1"

// revisionFieldSize is at least what the revision adds to the JSON of an object: its field, and a spec around it if need be.
const revisionFieldSize = len(`"spec":{"revision":"",},`) + revisionLength

// Content is one object to deliver, hashed once and shared between all clusters that it goes to. It is immutable.
type Content struct {
	object   *unstructured.Unstructured
	resource schema.GroupVersionResource
	digest   string
	size     int
}

// NewContent takes the object and the resource that serves its kind. The object must not be changed afterwards. Its
// spec.revision is not content: dispatch mints it when the object is packed.
func NewContent(object *unstructured.Unstructured, resource schema.GroupVersionResource) (*Content, error) {
	if object.GetName() == "" || object.GetKind() == "" {
		return nil, fmt.Errorf("an object to deliver needs a kind and a name, got kind %q and name %q", object.GetKind(), object.GetName())
	}
	raw, err := marshalAt(object, "")
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append([]byte("wheelwright content "+hashVersion+"\n"), raw...))
	return &Content{
		object:   object,
		resource: resource,
		digest:   hex.EncodeToString(sum[:]),
		size:     (&runtime.RawExtension{Raw: raw}).Size() + revisionFieldSize,
	}, nil
}

// Hash is the content's hash, with the version of its canonical form.
func (c *Content) Hash() string { return hashVersion + ":" + c.digest }

// Is reports whether a hash that was recorded earlier, by this or an older canonical form, is this content's.
func (c *Content) Is(recorded string) bool { return recorded == c.Hash() }

// Namespace that the object lives in, empty for a cluster-scoped one.
func (c *Content) Namespace() string { return c.object.GetNamespace() }

// Describe names the object for people: its kind, namespace and name.
func (c *Content) Describe() string { return describe(c.object) }

// CheckSize returns a *TooLargeError when the object does not fit into a ManifestWork.
func (c *Content) CheckSize() error {
	if c.size > MaxManifestBytes {
		return &TooLargeError{Object: c.Describe(), Size: c.size}
	}
	return nil
}

// TooLargeError says that an object does not fit into a ManifestWork.
type TooLargeError struct {
	// Object for people.
	Object string
	// Size in bytes, as OCM counts.
	Size int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has %d bytes and a ManifestWork holds at most %d: move large values into a ConfigMap on the spoke, or split the component",
		e.Object, e.Size, MaxManifestBytes)
}

// marshalAt is the JSON of the object at a revision, or at none. Map keys are sorted by encoding/json, which makes it
// canonical.
func marshalAt(object *unstructured.Unstructured, revision string) ([]byte, error) {
	carried, _, err := unstructured.NestedString(object.Object, "spec", "revision")
	if err != nil {
		return nil, fmt.Errorf("reading the revision of %s: %w", describe(object), err)
	}
	if carried != revision {
		object = object.DeepCopy()
		if revision == "" {
			unstructured.RemoveNestedField(object.Object, "spec", "revision")
		} else if err := unstructured.SetNestedField(object.Object, revision, "spec", "revision"); err != nil {
			return nil, fmt.Errorf("setting the revision of %s: %w", describe(object), err)
		}
	}
	raw, err := json.Marshal(object.Object)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", describe(object), err)
	}
	return raw, nil
}

func describe(object *unstructured.Unstructured) string {
	if object.GetNamespace() == "" {
		return object.GetKind() + " " + object.GetName()
	}
	return object.GetKind() + " " + object.GetNamespace() + "/" + object.GetName()
}
