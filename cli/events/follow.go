package events

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/live"
)

// betweenWatches is how long a watch that has ended is left alone, so that a server that ends all of them is not hammered.
const betweenWatches = time.Second

// Follow shows the events of a tree as they come, those that there are already first, until ctx ends. What the Component makes
// meanwhile is followed too. Show is never called twice at once.
func Follow(ctx context.Context, watcher client.WithWatch, tree *live.Node, show func(Entry) error) error {
	group, ctx := errgroup.WithContext(ctx)
	found := make(chan seen)
	for _, namespace := range namespaces(tree) {
		group.Go(func() error { return (&follower{watcher: watcher, namespace: namespace, found: found}).run(ctx) })
	}
	group.Go(func() error {
		belongs := &lookup{reader: watcher, members: membersOf(tree), asked: map[types.UID]bool{}}
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case one := <-found:
				// In a busy namespace, asking for each object that ever had an event would take long.
				if known := belongs.members.knows(one.event.InvolvedObject); !known && (one.old || !belongs.knows(ctx, one.event.InvolvedObject)) {
					continue
				}
				if err := show(entryOf(&one.event)); err != nil {
					return err
				}
			}
		}
	})
	return group.Wait()
}

// seen is an event that was passed on. It is old when it was there before the tree was read.
type seen struct {
	event corev1.Event
	old   bool
}

// follower follows the events of one namespace.
type follower struct {
	watcher   client.WithWatch
	namespace string
	found     chan<- seen
	// told are the versions of the events that were passed on.
	told map[types.UID]string
}

// run lists and then watches, and begins anew when the server ends the watch, as it does every few minutes.
func (f *follower) run(ctx context.Context) error {
	for {
		if err := f.once(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(betweenWatches):
		}
	}
}

func (f *follower) once(ctx context.Context) error {
	listed := &corev1.EventList{}
	if err := f.watcher.List(ctx, listed, client.InNamespace(f.namespace)); err != nil {
		return fmt.Errorf("reading the events of namespace %s: %w", f.namespace, err)
	}
	before := f.told
	old := before == nil
	f.told = make(map[types.UID]string, len(listed.Items)) // events that are gone need not be remembered
	slices.SortStableFunc(listed.Items, func(a, b corev1.Event) int { return entryOf(&a).Time.Compare(entryOf(&b).Time) })
	for _, event := range listed.Items {
		f.told[event.UID] = before[event.UID]
		if err := f.tell(ctx, event, old); err != nil {
			return err
		}
	}
	options := &client.ListOptions{Namespace: f.namespace, Raw: &metav1.ListOptions{ResourceVersion: listed.ResourceVersion}}
	changes, err := f.watcher.Watch(ctx, &corev1.EventList{}, options)
	if err != nil {
		return fmt.Errorf("watching the events of namespace %s: %w", f.namespace, err)
	}
	defer changes.Stop()
	for change := range changes.ResultChan() {
		event, ok := change.Object.(*corev1.Event)
		if !ok {
			return f.ended(change)
		}
		if change.Type == watch.Deleted {
			continue
		}
		if err := f.tell(ctx, *event, false); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// ended is nil where the watch was too old, and a list begins it anew.
func (f *follower) ended(change watch.Event) error {
	err := apierrors.FromObject(change.Object)
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return nil
	}
	return fmt.Errorf("watching the events of namespace %s: %w", f.namespace, err)
}

// tell passes an event on, once for each version.
func (f *follower) tell(ctx context.Context, event corev1.Event, old bool) error {
	if f.told[event.UID] == event.ResourceVersion {
		return nil
	}
	f.told[event.UID] = event.ResourceVersion
	select {
	case <-ctx.Done():
		return ctx.Err()
	case f.found <- seen{event: event, old: old}:
		return nil
	}
}
