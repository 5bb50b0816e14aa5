package resourceversion

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Written remembers the resource version that our last write of each object returned, until the cache shows it. Whoever
// decides from a cache asks it first: what the cache shows may be older than what we did ourselves. The zero value is ready
// for use, and safe for concurrent use.
//
// A restart forgets everything, which is safe: the cache then starts from a list that is newer than our last write.
type Written struct {
	mu       sync.Mutex
	versions map[types.UID]string
}

// Note remembers the object as the API server answered to a write.
func (w *Written) Note(object metav1.Object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.versions == nil {
		w.versions = map[types.UID]string{}
	}
	w.versions[object.GetUID()] = object.GetResourceVersion()
}

// AheadOf tells whether the object, as the cache shows it, is older than our last write; then the event of that write is
// still to come. What the cache has caught up with is forgotten, so that no more is remembered than writes in flight.
func (w *Written) AheadOf(cached metav1.Object) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	written, found := w.versions[cached.GetUID()]
	if found && Older(cached.GetResourceVersion(), written) {
		return true
	}
	delete(w.versions, cached.GetUID())
	return false
}

// Forget drops an object that is gone.
func (w *Written) Forget(uid types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.versions, uid)
}
