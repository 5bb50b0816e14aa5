package work

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	workv1 "open-cluster-management.io/api/work/v1"
)

// byObject is the index of works by the objects in their status.
const byObject = "object"

// objectReader reads the objects that works report about: from a watch where a work asks for
// one, else by a call. A watch covers one kind in one namespace, for all works that have objects
// there, asked for or not.
type objectReader struct {
	spokeClient spokeClient
	works       cache.Indexer
	changed     func(work string) // called when a watched object is created or updated
	limit       int

	mutex   sync.Mutex
	watches map[watchKey]*watch
	running sync.WaitGroup
}

type watchKey struct {
	resource  schema.GroupVersionResource
	namespace string
}

// watch is a running informer and who wants it. It stops with the last of them.
type watch struct {
	informer cache.SharedIndexInformer
	stop     chan struct{}
	wanted   map[wish]bool
}

// wish is one work's interest in one object.
type wish struct{ work, object string }

// read returns the object as the spoke has it, or as the watch saw it last.
func (r *objectReader) read(ctx context.Context, object workv1.ManifestResourceMeta) (*unstructured.Unstructured, error) {
	if !complete(object) {
		return nil, fmt.Errorf("incomplete resource meta")
	}
	// A watch that is not there yet, or not permitted, leaves the call.
	informer := r.informerOf(object)
	if informer == nil || !informer.HasSynced() {
		return r.spokeClient.get(ctx, object)
	}
	item, found, err := informer.GetStore().GetByKey(storeKey(object))
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, notFound(object)
	}
	return item.(*unstructured.Unstructured), nil
}

func (r *objectReader) informerOf(object workv1.ManifestResourceMeta) cache.SharedIndexInformer {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if watch := r.watches[keyOf(object)]; watch != nil {
		return watch.informer
	}
	return nil
}

// watch makes changes of the object known to the work. Beyond the limit it does nothing: the
// object is then polled like any other.
func (r *objectReader) watch(work string, object workv1.ManifestResourceMeta) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	key := keyOf(object)
	if r.watches[key] == nil {
		if len(r.watches) >= r.limit {
			return nil
		}
		started, err := r.start(key)
		if err != nil {
			return fmt.Errorf("cannot watch %s in namespace %q: %w", key.resource.Resource, key.namespace, err)
		}
		r.watches[key] = started
	}
	r.watches[key].wanted[wish{work, object.Name}] = true
	return nil
}

func (r *objectReader) start(key watchKey) (*watch, error) {
	informer := dynamicinformer.NewFilteredDynamicInformer(
		r.spokeClient, key.resource, key.namespace, 24*time.Hour, cache.Indexers{}, nil).Informer()
	if err := informer.SetTransform(withoutManagedFields); err != nil {
		return nil, err
	}
	// A deletion is no event: it shows at the next poll.
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { r.notify(key, object) },
		UpdateFunc: func(_, object any) { r.notify(key, object) },
	})
	if err != nil {
		return nil, err
	}
	started := &watch{informer: informer, stop: make(chan struct{}), wanted: map[wish]bool{}}
	r.running.Go(func() { informer.Run(started.stop) })
	return started, nil
}

// notify tells all works that have the object.
func (r *objectReader) notify(key watchKey, item any) {
	object, err := meta.Accessor(item)
	if err != nil {
		return
	}
	works, err := r.works.ByIndex(byObject, indexKey(key.resource, object.GetNamespace(), object.GetName()))
	if err != nil {
		return
	}
	for _, work := range works {
		r.changed(work.(*manifestWork).Name)
	}
}

// unwatch ends the work's interest in the object, and the watch when nobody has any.
func (r *objectReader) unwatch(work string, object workv1.ManifestResourceMeta) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	key := keyOf(object)
	watch := r.watches[key]
	if watch == nil || !watch.wanted[wish{work, object.Name}] {
		return
	}
	delete(watch.wanted, wish{work, object.Name})
	if len(watch.wanted) == 0 {
		close(watch.stop)
		delete(r.watches, key)
	}
}

// close ends all watches and waits for them.
func (r *objectReader) close() {
	r.mutex.Lock()
	for key, watch := range r.watches {
		close(watch.stop)
		delete(r.watches, key)
	}
	r.mutex.Unlock()
	r.running.Wait()
}

// objectKeysOfWork is the index function of byObject.
func objectKeysOfWork(item any) ([]string, error) {
	work, ok := item.(*manifestWork)
	if !ok {
		return nil, nil
	}
	var keys []string
	for _, manifest := range work.Status.ResourceStatus.Manifests {
		object := manifest.ResourceMeta
		keys = append(keys, indexKey(resourceOf(object), object.Namespace, object.Name))
	}
	return keys, nil
}

func indexKey(resource schema.GroupVersionResource, namespace, name string) string {
	return fmt.Sprintf("%s/%s/%s/%s/%s", resource.Group, resource.Version, resource.Resource, namespace, name)
}

func keyOf(object workv1.ManifestResourceMeta) watchKey {
	return watchKey{resource: resourceOf(object), namespace: object.Namespace}
}

func storeKey(object workv1.ManifestResourceMeta) string {
	return cache.ObjectName{Namespace: object.Namespace, Name: object.Name}.String()
}

func notFound(object workv1.ManifestResourceMeta) error {
	return apierrors.NewNotFound(schema.GroupResource{Group: object.Group, Resource: object.Resource}, object.Name)
}
