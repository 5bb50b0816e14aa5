package owned

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"wheelwright.dev/wheelwright/agent/object"
)

// waker turns events of owned objects into requests for their Components. It handles the events of every kind.
type waker struct {
	mutex sync.Mutex
	queue workqueue.TypedRateLimitingInterface[reconcile.Request]
	// waiting are Components that wait for an object of another one to change hands or go, each with that other one.
	waiting map[object.Key]map[types.NamespacedName]types.NamespacedName
}

func newWaker() *waker {
	return &waker{waiting: map[object.Key]map[types.NamespacedName]types.NamespacedName{}}
}

// Source is what a controller watches to be woken.
func (o *Objects) Source() source.Source {
	return source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		o.wake.mutex.Lock()
		defer o.wake.mutex.Unlock()
		o.wake.queue = queue
		return nil
	})
}

// Await wakes component at the next change of an object that it saw to be another's, or when that other Component is gone.
func (o *Objects) Await(ctx context.Context, component types.NamespacedName, seen *unstructured.Unstructured) {
	key := object.KeyOf(seen)
	owner, _ := object.OwnerOf(seen.GetLabels())
	o.wake.await(key, component, types.NamespacedName{Namespace: owner.Namespace, Name: owner.Name})
	// It may have changed since it was seen, and before it was waited for.
	live, err := o.Get(ctx, seen.GroupVersionKind(), key)
	if err != nil || live == nil || live.GetResourceVersion() != seen.GetResourceVersion() {
		o.wake.enqueue(component)
	}
}

func (w *waker) await(key object.Key, component, owner types.NamespacedName) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.waiting[key] == nil {
		w.waiting[key] = map[types.NamespacedName]types.NamespacedName{}
	}
	w.waiting[key][component] = owner
}

// forget wakes those who wait for an object of gone, and waits no more on its own behalf.
func (w *waker) forget(gone types.NamespacedName) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for key, components := range w.waiting {
		delete(components, gone)
		for component, owner := range components {
			if owner == gone {
				w.add(component)
				delete(components, component)
			}
		}
		if len(components) == 0 {
			delete(w.waiting, key)
		}
	}
}

func (w *waker) enqueue(component types.NamespacedName) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.add(component)
}

// add needs the mutex.
func (w *waker) add(component types.NamespacedName) {
	if w.queue != nil {
		w.queue.Add(reconcile.Request{NamespacedName: component})
	}
}

// OnAdd wakes the owner, and those who share the object with it, as all of these do.
func (w *waker) OnAdd(added any, _ bool) { w.notify(added) }

// OnUpdate wakes the owner, and the one before when the object changed hands.
func (w *waker) OnUpdate(before, after any) {
	old, okOld := before.(*unstructured.Unstructured)
	now, okNow := after.(*unstructured.Unstructured)
	if okOld && okNow && old.GetResourceVersion() == now.GetResourceVersion() {
		return // a resync, which says nothing new
	}
	w.notify(before, after)
}

// OnDelete wakes the owner.
func (w *waker) OnDelete(deleted any) {
	if unknown, ok := deleted.(toolscache.DeletedFinalStateUnknown); ok {
		deleted = unknown.Obj
	}
	w.notify(deleted)
}

func (w *waker) notify(objects ...any) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, item := range objects {
		changed, ok := item.(*unstructured.Unstructured)
		if !ok {
			continue
		}
		if owner, ok := object.OwnerOf(changed.GetLabels()); ok {
			w.add(types.NamespacedName{Namespace: owner.Namespace, Name: owner.Name})
		}
		for _, sharer := range object.Sharers(changed.GetAnnotations()) {
			w.add(types.NamespacedName{Namespace: sharer.Namespace, Name: sharer.Name})
		}
		key := object.KeyOf(changed)
		for component := range w.waiting[key] {
			w.add(component)
		}
		delete(w.waiting, key)
	}
}
