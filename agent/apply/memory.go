package apply

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"wheelwright.dev/wheelwright/agent/object"
)

// applied is what the API server answered to the last apply of an object.
type applied struct {
	hash            string
	uid             types.UID
	generation      int64
	resourceVersion string
}

// memory remembers the last apply of each object, by this process or, where the live object agrees with that, by one before. It
// holds nothing that is not on the cluster. It is as large as the number of objects that Components render, and let go of with
// them.
type memory struct {
	mutex  sync.Mutex
	owners map[types.UID]map[object.Key]applied
}

func newMemory() *memory {
	return &memory{owners: map[types.UID]map[object.Key]applied{}}
}

func (m *memory) get(owner types.UID, key object.Key) (applied, bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	entry, ok := m.owners[owner][key]
	return entry, ok
}

func (m *memory) put(owner types.UID, wanted Object, answer *unstructured.Unstructured) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.owners[owner] == nil {
		m.owners[owner] = map[object.Key]applied{}
	}
	m.owners[owner][wanted.Key] = applied{
		hash:            wanted.Hash,
		uid:             answer.GetUID(),
		generation:      answer.GetGeneration(),
		resourceVersion: answer.GetResourceVersion(),
	}
}

func (m *memory) drop(owner types.UID, key object.Key) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	delete(m.owners[owner], key)
}

func (m *memory) forget(owner types.UID) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	delete(m.owners, owner)
}
