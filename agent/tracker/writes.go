package tracker

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/resourceversion"
)

// Seen takes note of a ResourceTracker as the watch behind the cache shows it, and tells whether that is none of the Store's own
// writes. It may also say so of an own one that is seen before the API server's answer has come.
func (s *Store) Seen(changed client.Object) (byOthers bool) { return !s.written.reached(changed) }

// SeenGone lets go of what is remembered of a ResourceTracker, and tells whether it was not the Store that deleted it.
func (s *Store) SeenGone(gone client.Object) (byOthers bool) { return !s.written.ended(gone) }

// writes are the Store's own last writes of its objects, by name. Reads come from a cache that may not show them yet, and
// others may write too: both are told by them.
type writes struct {
	mutex sync.Mutex
	last  map[string]write
}

type write struct {
	uid     types.UID
	version string
	// answer is the object as it was written, until the cache shows that.
	answer  *corev1alpha1.ResourceTracker
	deleted bool
}

func (w *writes) note(answer *corev1alpha1.ResourceTracker) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.last[answer.Name] = write{uid: answer.UID, version: answer.ResourceVersion, answer: answer}
}

// noteDeletion must come before the deletion, whose event may be faster than its answer.
func (w *writes) noteDeletion(gone *corev1alpha1.ResourceTracker) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.last[gone.Name] = write{uid: gone.UID, deleted: true}
}

func (w *writes) forget(name string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	delete(w.last, name)
}

// newest is the object as the Store last wrote it, until the cache has caught up with that.
func (w *writes) newest(name string, cached *corev1alpha1.ResourceTracker) *corev1alpha1.ResourceTracker {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	last := w.last[name]
	switch {
	case last.deleted && cached != nil && cached.UID == last.uid && cached.DeletionTimestamp.IsZero():
		return nil
	case last.answer == nil:
		return cached
	case cached == nil || resourceversion.Older(cached.ResourceVersion, last.version):
		return last.answer
	}
	last.answer = nil
	w.last[name] = last
	return cached
}

// reached tells whether the cache, which shows changed, has come no further than the Store's last write of it. What was newer
// would have made that write fail.
func (w *writes) reached(changed client.Object) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	last, ok := w.last[changed.GetName()]
	switch {
	case !ok || last.uid != changed.GetUID():
		return false
	case last.deleted || resourceversion.Older(changed.GetResourceVersion(), last.version):
		return true
	}
	last.answer = nil
	w.last[changed.GetName()] = last
	return changed.GetResourceVersion() == last.version
}

// ended tells whether the Store deleted what is gone.
func (w *writes) ended(gone client.Object) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	last, ok := w.last[gone.GetName()]
	if !ok || last.uid != gone.GetUID() {
		return false
	}
	delete(w.last, gone.GetName())
	return last.deleted
}
