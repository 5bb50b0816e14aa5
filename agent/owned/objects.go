// Package owned watches what Components own: one informer for each kind in use, restricted to objects that carry an owner's
// label; and what they only read, each such object by itself. It shows the live objects and wakes their Component when one of
// them changes, so that nobody has to poll.
package owned

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/resourceversion"
)

// syncTimeout bounds how long reconciles wait for the first list of a kind. Longer than that means that the list is refused or
// the API server is gone, and the reconcile is tried again later.
const syncTimeout = 10 * time.Second

// Objects is the watch over owned objects. It is a manager's Runnable, and safe for concurrent use.
type Objects struct {
	cache    cache.Cache
	wake     *waker
	observed *observed

	mutex sync.Mutex
	// kinds are the watches that are started, and uses the kinds that each Component needs.
	kinds map[schema.GroupVersionKind]*watch
	uses  map[types.NamespacedName][]schema.GroupVersionKind
}

// watch is the informer of one kind.
type watch struct {
	informer cache.Informer
	handler  toolscache.ResourceEventHandlerRegistration
	// deadline is when nobody waits for the first list any more: one kind that cannot be listed must not hold up the workers
	// time and again.
	deadline time.Time
	users    map[types.NamespacedName]bool
}

// awaitSync waits for the first list until deadline.
func awaitSync(ctx context.Context, handler toolscache.ResourceEventHandlerRegistration, deadline time.Time) bool {
	if handler.HasSynced() {
		return true
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	return toolscache.WaitForCacheSync(ctx.Done(), handler.HasSynced)
}

// New makes the watch. Nothing is watched until a Component uses a kind. The options must have an HTTP client and a mapper.
func New(config *rest.Config, options cache.Options) (*Objects, error) {
	owned, err := labels.NewRequirement(corev1alpha1.ComponentUIDLabel, selection.Exists, nil)
	if err != nil {
		return nil, fmt.Errorf("selecting owned objects: %w", err)
	}
	shared := true
	options.DefaultLabelSelector = labels.NewSelector().Add(*owned)
	options.DefaultTransform = trim
	options.DefaultUnsafeDisableDeepCopy = &shared
	options.ReaderFailOnMissingInformer = true
	made, err := cache.New(config, options)
	if err != nil {
		return nil, fmt.Errorf("making the cache of owned objects: %w", err)
	}
	client, err := dynamic.NewForConfigAndClient(config, options.HTTPClient)
	if err != nil {
		return nil, fmt.Errorf("making the client of single objects: %w", err)
	}
	wake := newWaker()
	return &Objects{
		cache: made, wake: wake, observed: newObserved(client, options.Mapper, wake),
		kinds: map[schema.GroupVersionKind]*watch{},
		uses:  map[types.NamespacedName][]schema.GroupVersionKind{},
	}, nil
}

// Start runs the watch until ctx ends.
func (o *Objects) Start(ctx context.Context) error {
	defer o.observed.close()
	return o.cache.Start(ctx)
}

// GetCache makes a manager start the watch with its caches, before any controller.
func (o *Objects) GetCache() cache.Cache { return o.cache }

// Use makes sure that the kinds are watched for as long as component uses them, and that their objects are listed. Kinds that
// it used before and does not name are given up.
func (o *Objects) Use(ctx context.Context, component types.NamespacedName, kinds []schema.GroupVersionKind) error {
	kinds = sorted(kinds)
	watches, err := o.use(ctx, component, kinds)
	if err != nil {
		return err
	}
	for i, watch := range watches {
		if !awaitSync(ctx, watch.handler, watch.deadline) {
			return fmt.Errorf("watching %s: no list within %s; may the agent list and watch it?", kinds[i], syncTimeout)
		}
	}
	return nil
}

// Forget gives up what component used. It is gone, and those who waited for an object of it are woken.
func (o *Objects) Forget(ctx context.Context, component types.NamespacedName) {
	o.wake.forget(component)
	o.observed.only(component, nil)
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.release(ctx, component, o.uses[component])
	delete(o.uses, component)
}

// Get gives the live object of a kind in use, or nil. It must not be changed.
func (o *Objects) Get(ctx context.Context, kind schema.GroupVersionKind, key object.Key) (*unstructured.Unstructured, error) {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(kind)
	err := o.cache.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: key.Name}, live)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading from the watch: %w", err)
	}
	return live, nil
}

// Observe gives an object that component reads and does not own, whoever owns it, or nil. It must not be changed. It is
// watched from then on, until ObserveOnly does not name it.
func (o *Objects) Observe(
	ctx context.Context, component types.NamespacedName, kind schema.GroupVersionKind, key object.Key,
) (*unstructured.Unstructured, error) {
	return o.observed.get(ctx, component, reference{kind: kind, key: key})
}

// ObserveOnly gives up all that component observed but these.
func (o *Objects) ObserveOnly(component types.NamespacedName, rendered []*unstructured.Unstructured) {
	wanted := make([]reference, 0, len(rendered))
	for _, one := range rendered {
		wanted = append(wanted, reference{kind: one.GroupVersionKind(), key: object.KeyOf(one)})
	}
	o.observed.only(component, wanted)
}

// OwnedBy gives all objects of owner that are watched, and watches kinds for it beside what it uses. It looks at every object
// that there is.
func (o *Objects) OwnedBy(ctx context.Context, owner object.Owner, kinds []schema.GroupVersionKind) ([]*unstructured.Unstructured, error) {
	component := types.NamespacedName{Namespace: owner.Namespace, Name: owner.Name}
	o.mutex.Lock()
	kinds = slices.Concat(kinds, o.uses[component])
	o.mutex.Unlock()
	if err := o.Use(ctx, component, kinds); err != nil {
		return nil, err
	}
	o.mutex.Lock()
	watched := slices.Collect(maps.Keys(o.kinds))
	o.mutex.Unlock()
	var found []*unstructured.Unstructured
	for _, kind := range watched {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		err := o.cache.List(ctx, list, client.MatchingLabels{corev1alpha1.ComponentUIDLabel: string(owner.UID)}, client.UnsafeDisableDeepCopy)
		if err != nil {
			return nil, fmt.Errorf("listing objects of kind %s from the watch: %w", kind.Kind, err)
		}
		for i := range list.Items {
			found = append(found, &list.Items[i])
		}
	}
	return found, nil
}

// Behind tells whether the watch of kind has not come to resourceVersion yet.
func (o *Objects) Behind(_ context.Context, kind schema.GroupVersionKind, resourceVersion string) bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	watch, ok := o.kinds[kind]
	if !ok {
		return false
	}
	// controller-runtime hides it, but its informers are client-go's.
	informer, ok := watch.informer.(interface{ LastSyncResourceVersion() string })
	return ok && resourceversion.Older(informer.LastSyncResourceVersion(), resourceVersion)
}

// use notes the use and starts what is not started.
func (o *Objects) use(ctx context.Context, component types.NamespacedName, kinds []schema.GroupVersionKind) ([]*watch, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	watches := make([]*watch, 0, len(kinds))
	for _, kind := range kinds {
		watch, err := o.start(ctx, kind)
		if err != nil {
			return nil, fmt.Errorf("watching %s: %w", kind, err)
		}
		watch.users[component] = true
		watches = append(watches, watch)
	}
	given := slices.DeleteFunc(slices.Clone(o.uses[component]), func(kind schema.GroupVersionKind) bool {
		return slices.Contains(kinds, kind)
	})
	o.uses[component] = kinds
	o.release(ctx, component, given)
	return watches, nil
}

func (o *Objects) start(ctx context.Context, kind schema.GroupVersionKind) (*watch, error) {
	if found, ok := o.kinds[kind]; ok {
		return found, nil
	}
	informer, err := o.cache.GetInformer(ctx, exampleOf(kind), cache.BlockUntilSynced(false))
	if err != nil {
		return nil, err
	}
	handler, err := informer.AddEventHandler(o.wake)
	if err != nil {
		return nil, err
	}
	started := &watch{
		informer: informer,
		handler:  handler,
		deadline: time.Now().Add(syncTimeout),
		users:    map[types.NamespacedName]bool{},
	}
	o.kinds[kind] = started
	return started, nil
}

// release ends the watches that component was the last to use.
func (o *Objects) release(ctx context.Context, component types.NamespacedName, kinds []schema.GroupVersionKind) {
	for _, kind := range kinds {
		watch, ok := o.kinds[kind]
		if !ok {
			continue
		}
		delete(watch.users, component)
		if len(watch.users) > 0 {
			continue
		}
		delete(o.kinds, kind)
		// It fails only for a kind that no object can be made of, and this one had an informer.
		_ = o.cache.RemoveInformer(ctx, exampleOf(kind))
	}
}

func exampleOf(kind schema.GroupVersionKind) *unstructured.Unstructured {
	example := &unstructured.Unstructured{}
	example.SetGroupVersionKind(kind)
	return example
}

func sorted(kinds []schema.GroupVersionKind) []schema.GroupVersionKind {
	kinds = slices.Clone(kinds)
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int {
		switch {
		case a.String() < b.String():
			return -1
		case a.String() > b.String():
			return 1
		}
		return 0
	})
	return slices.Compact(kinds)
}
