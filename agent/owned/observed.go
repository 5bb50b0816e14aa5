package owned

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"wheelwright.dev/wheelwright/agent/object"
)

// observed watches single objects that Components read and do not own, each by itself: whoever reads one ConfigMap should not
// have the agent hold all of them.
type observed struct {
	client dynamic.Interface
	mapper meta.RESTMapper
	wake   *waker

	mutex   sync.Mutex
	watches map[reference]*observation
	closed  bool
	running sync.WaitGroup
}

// reference is an object at the version that it is read at.
type reference struct {
	kind schema.GroupVersionKind
	key  object.Key
}

// observation is the watch over one object.
type observation struct {
	informer toolscache.SharedIndexInformer
	handler  toolscache.ResourceEventHandlerRegistration
	stop     chan struct{}
	deadline time.Time
	users    map[types.NamespacedName]bool
}

func newObserved(client dynamic.Interface, mapper meta.RESTMapper, wake *waker) *observed {
	return &observed{client: client, mapper: mapper, wake: wake, watches: map[reference]*observation{}}
}

// get gives the object as its watch shows it, which starts with the first that asks, or nil.
func (o *observed) get(ctx context.Context, component types.NamespacedName, wanted reference) (*unstructured.Unstructured, error) {
	watch, err := o.use(component, wanted)
	if err != nil {
		return nil, fmt.Errorf("watching it: %w", err)
	}
	if !awaitSync(ctx, watch.handler, watch.deadline) {
		return nil, fmt.Errorf("watching it: no answer within %s; may the agent list and watch it?", syncTimeout)
	}
	for _, item := range watch.informer.GetStore().List() {
		if live, ok := item.(*unstructured.Unstructured); ok {
			return live, nil
		}
	}
	return nil, nil
}

func (o *observed) use(component types.NamespacedName, wanted reference) (*observation, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	watch, ok := o.watches[wanted]
	if !ok {
		var err error
		if watch, err = o.start(wanted); err != nil {
			return nil, err
		}
		o.watches[wanted] = watch
	}
	watch.users[component] = true
	return watch, nil
}

// start needs the mutex.
func (o *observed) start(wanted reference) (*observation, error) {
	if o.closed {
		return nil, errors.New("the agent is stopping")
	}
	mapping, err := o.mapper.RESTMapping(wanted.kind.GroupKind(), wanted.kind.Version)
	if err != nil {
		return nil, err
	}
	onlyIt := func(options *metav1.ListOptions) {
		options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, wanted.key.Name).String()
	}
	informer := dynamicinformer.NewFilteredDynamicInformer(o.client, mapping.Resource, wanted.key.Namespace, 0, nil, onlyIt).Informer()
	if err := informer.SetTransform(cache.TransformStripManagedFields()); err != nil {
		return nil, err
	}
	handler, err := informer.AddEventHandler(observer{observed: o, wanted: wanted})
	if err != nil {
		return nil, err
	}
	stop := make(chan struct{})
	o.running.Go(func() { informer.Run(stop) })
	return &observation{
		informer: informer, handler: handler, stop: stop,
		deadline: time.Now().Add(syncTimeout), users: map[types.NamespacedName]bool{},
	}, nil
}

// only ends what component does not read any more, which is all but wanted.
func (o *observed) only(component types.NamespacedName, wanted []reference) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for read, watch := range o.watches {
		if slices.Contains(wanted, read) {
			continue
		}
		delete(watch.users, component)
		if len(watch.users) == 0 {
			close(watch.stop)
			delete(o.watches, read)
		}
	}
}

// close ends all watches, and comes back when they have ended.
func (o *observed) close() {
	o.mutex.Lock()
	o.closed = true
	for read, watch := range o.watches {
		close(watch.stop)
		delete(o.watches, read)
	}
	o.mutex.Unlock()
	o.running.Wait()
}

// observer wakes those who read an object when it changes.
type observer struct {
	observed *observed
	wanted   reference
}

func (o observer) OnAdd(any, bool)   { o.notify() }
func (o observer) OnUpdate(_, _ any) { o.notify() }
func (o observer) OnDelete(any)      { o.notify() }

func (o observer) notify() {
	o.observed.mutex.Lock()
	defer o.observed.mutex.Unlock()
	watch, ok := o.observed.watches[o.wanted]
	if !ok {
		return
	}
	for component := range watch.users {
		o.observed.wake.enqueue(component)
	}
}
