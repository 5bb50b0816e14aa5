package component

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// sight is an object that a pass read. What a pass comes to follows from these alone, so that a pass over the same needs not be
// made.
type sight struct {
	kind schema.GroupVersionKind
	key  types.NamespacedName
	// by is what shows it.
	by shower
}

// shower is what shows a pass an object.
type shower int

const (
	// byCache: the manager's cache.
	byCache shower = iota
	// byWatch: the watch over owned objects.
	byWatch
	// byObserver: the watch over what is only read.
	byObserver
)

// sights are the resource versions of what a pass read, "" for what was not there.
type sights map[sight]string

// settled remembers of each Component that is Ready, and for which no time runs, what the pass read that found it so. It holds
// nothing but versions, and is let go of with the Component.
type settled struct {
	mutex      sync.Mutex
	components map[types.NamespacedName]sights
}

func (s *settled) of(name types.NamespacedName) sights {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.components[name]
}

// keep remembers seen, or forgets what was remembered where it is nil.
func (s *settled) keep(name types.NamespacedName, seen sights) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if seen == nil {
		delete(s.components, name)
		return
	}
	if s.components == nil {
		s.components = map[types.NamespacedName]sights{}
	}
	s.components[name] = seen
}

var (
	componentKind = corev1alpha1.GroupVersion.WithKind("Component")
	trackerKind   = corev1alpha1.GroupVersion.WithKind("ResourceTracker")
)

// isSettled tells whether everything is as it was when the Component was found Ready. What cannot be read is for the pass to say.
func (r *Reconciler) isSettled(ctx context.Context, component *corev1alpha1.Component) bool {
	seen := r.settled.of(client.ObjectKeyFromObject(component))
	for one, version := range seen {
		if now, err := r.versionOf(ctx, component, one); err != nil || now != version {
			return false
		}
	}
	return len(seen) > 0
}

func (r *Reconciler) versionOf(ctx context.Context, component *corev1alpha1.Component, seen sight) (string, error) {
	switch {
	case seen.kind == componentKind && seen.key == client.ObjectKeyFromObject(component):
		return component.ResourceVersion, nil
	case seen.kind == trackerKind:
		return r.trackers.Version(ctx, object.Owner{Namespace: seen.key.Namespace, Name: seen.key.Name})
	case seen.by == byCache:
		return r.cachedVersion(ctx, seen)
	}
	key := object.Key{Group: seen.kind.Group, Kind: seen.kind.Kind, Namespace: seen.key.Namespace, Name: seen.key.Name}
	get := r.watcher.Get
	if seen.by == byObserver {
		get = func(ctx context.Context, kind schema.GroupVersionKind, key object.Key) (*unstructured.Unstructured, error) {
			return r.watcher.Observe(ctx, client.ObjectKeyFromObject(component), kind, key)
		}
	}
	live, err := get(ctx, seen.kind, key)
	if live == nil || err != nil {
		return "", err
	}
	return live.GetResourceVersion(), nil
}

// cachedVersion is the version of what the manager's cache has: by type what is of Wheelwright's own group, and the metadata of all else.
func (r *Reconciler) cachedVersion(ctx context.Context, seen sight) (string, error) {
	var cached client.Object = &metav1.PartialObjectMetadata{}
	if seen.kind.Group == corev1alpha1.GroupVersion.Group {
		made, err := r.spokeClient.Scheme().New(seen.kind)
		if err != nil {
			return "", err
		}
		cached, _ = made.(client.Object) // as all kinds of the group are
	}
	cached.GetObjectKind().SetGroupVersionKind(seen.kind)
	err := r.spokeClient.Get(ctx, seen.key, cached)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	return cached.GetResourceVersion(), err
}

// see notes that a pass read an object, or found none.
func (s sights) see(kind schema.GroupVersionKind, key types.NamespacedName, version string) {
	s[sight{kind: kind, key: key}] = version
}

// settle remembers what a pass read, when it found the Component Ready, that is written down, and nothing is to come of itself.
func (r *Reconciler) settle(run *run, status corev1alpha1.ComponentStatus, written bool) {
	name := run.name()
	if !written || !isReady(status) || run.recheck > 0 || !run.event.Completed || run.ledger == nil {
		r.settled.keep(name, nil)
		return
	}
	run.seen.see(componentKind, name, run.component.ResourceVersion)
	run.seen.see(trackerKind, name, run.ledger.Version())
	for _, state := range run.states {
		if !state.Settled && !state.Absent {
			r.settled.keep(name, nil)
			return
		}
		rendered, version := state.Output.Object, ""
		if state.Live != nil {
			version = state.Live.GetResourceVersion()
		}
		shown := sight{kind: rendered.GroupVersionKind(), key: client.ObjectKeyFromObject(rendered), by: byWatch}
		if rendered.GetAnnotations()[corev1alpha1.OwnershipAnnotation] == corev1alpha1.OwnershipReadOnly {
			shown.by = byObserver
		}
		run.seen[shown] = version
	}
	r.settled.keep(name, run.seen)
}
