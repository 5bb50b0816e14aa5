package work

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	workv1 "open-cluster-management.io/api/work/v1"
)

// applyCache remembers of each object which manifest it was last updated to and the version
// that came out. While both are the same there is nothing to write, even where the API server's
// defaults make the object differ from its manifest.
type applyCache struct {
	mutex   sync.Mutex
	applied map[workv1.ResourceIdentifier]appliedVersion
}

type appliedVersion struct {
	manifest [sha256.Size]byte
	version  string
}

func newApplyCache() *applyCache {
	return &applyCache{applied: map[workv1.ResourceIdentifier]appliedVersion{}}
}

// since tells whether neither manifest nor object has changed since the last record.
func (c *applyCache) since(m manifest, want ownership, live *unstructured.Unstructured) bool {
	now, err := versionOf(m, want, live)
	if err != nil {
		return false
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.applied[identifierOf(m.meta)] == now
}

// record notes what the object was updated to.
func (c *applyCache) record(m manifest, want ownership, live *unstructured.Unstructured) {
	now, err := versionOf(m, want, live)
	if err != nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.applied[identifierOf(m.meta)] = now
}

// forget drops the record of an object that is no longer a work's.
func (c *applyCache) forget(object workv1.ResourceIdentifier) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.applied, object)
}

func versionOf(m manifest, want ownership, live *unstructured.Unstructured) (appliedVersion, error) {
	encoded, err := json.Marshal([]any{m.object.Object, want.reference, want.released})
	if err != nil {
		return appliedVersion{}, err
	}
	return appliedVersion{manifest: sha256.Sum256(encoded), version: live.GetResourceVersion()}, nil
}

func identifierOf(object workv1.ManifestResourceMeta) workv1.ResourceIdentifier {
	return workv1.ResourceIdentifier{
		Group:     object.Group,
		Resource:  object.Resource,
		Namespace: object.Namespace,
		Name:      object.Name,
	}
}
