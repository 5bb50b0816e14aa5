package ocm

import (
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	workv1 "open-cluster-management.io/api/work/v1"
)

// written remembers the resource version that our last write of a work returned, until the cache shows it. Without it,
// content that returns quickly (A→B→A) would be read from the cached first A: same hash, older revision, older health.
//
// A restart forgets everything, which is safe: the cache then starts from a list that is newer than our last write.
// Resource versions of one resource are ordered integers (KEP-5504; true of every etcd-backed API server).
type written struct {
	mu       sync.Mutex
	versions map[types.NamespacedName]uint64
}

func newWritten() *written {
	return &written{versions: map[types.NamespacedName]uint64{}}
}

// record notes what a write returned. A version that is not an integer is not remembered.
func (w *written) record(work *workv1.ManifestWork) {
	version, err := strconv.ParseUint(work.ResourceVersion, 10, 64)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.versions[keyOf(work)] = version
}

// behind reports whether a work from the cache is older than our last write of it. What the cache has caught up with is
// forgotten, so that the memory holds no more than the writes in flight.
func (w *written) behind(cached *workv1.ManifestWork) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	version, found := w.versions[keyOf(cached)]
	if !found {
		return false
	}
	seen, err := strconv.ParseUint(cached.ResourceVersion, 10, 64)
	if err == nil && seen < version {
		return true
	}
	delete(w.versions, keyOf(cached))
	return false
}

// forget drops a work that was deleted.
func (w *written) forget(key types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.versions, key)
}

func keyOf(work *workv1.ManifestWork) types.NamespacedName {
	return types.NamespacedName{Namespace: work.Namespace, Name: work.Name}
}
