package resourceversion

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Latest keeps what our last write of each object returned, until the cache shows it. Where Written tells that the cache is
// behind, Latest bridges the gap: the next reconcile starts from our own write and does not run into a conflict with it.
// The zero value is ready for use, and safe for concurrent use.
type Latest[T metav1.Object] struct {
	mu      sync.Mutex
	objects map[types.UID]T
}

// Note keeps the object as the API server answered to a write. It must not be changed afterwards.
func (l *Latest[T]) Note(object T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.objects == nil {
		l.objects = map[types.UID]T{}
	}
	l.objects[object.GetUID()] = object
}

// Of returns our own last write where the cache is behind it, else the object as the cache shows it. What the cache has
// caught up with is let go of.
func (l *Latest[T]) Of(cached T) T {
	l.mu.Lock()
	defer l.mu.Unlock()
	written, found := l.objects[cached.GetUID()]
	if found && Older(cached.GetResourceVersion(), written.GetResourceVersion()) {
		return written
	}
	delete(l.objects, cached.GetUID())
	return cached
}

// Forget drops an object that is gone.
func (l *Latest[T]) Forget(uid types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.objects, uid)
}
