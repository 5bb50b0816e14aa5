package tracker

import (
	"context"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/resourceversion"
)

// Wanted is what a Component renders to now.
type Wanted struct {
	// Hash of the rendering, or empty when not all of it could be named.
	Hash      string
	Resources []corev1alpha1.TrackedResource
}

// Store reads and writes trackers. It is the only writer, and safe for concurrent use; two calls for one Component must
// not overlap.
//
// Reads come from a cache that may not show the Store's own last write yet, so that is kept until the cache does.
type Store struct {
	spokeClient client.Client

	mutex   sync.Mutex
	written map[string]*corev1alpha1.ResourceTracker
}

// NewStore makes a Store over spokeClient.
func NewStore(spokeClient client.Client) *Store {
	return &Store{spokeClient: spokeClient, written: map[string]*corev1alpha1.ResourceTracker{}}
}

// Load gives the tracker of owner, or nil when it has none. The result must not be changed.
func (s *Store) Load(ctx context.Context, owner object.Owner) (*corev1alpha1.ResourceTracker, error) {
	name := Name(owner)
	cached := &corev1alpha1.ResourceTracker{}
	switch err := s.spokeClient.Get(ctx, client.ObjectKey{Name: name}, cached); {
	case apierrors.IsNotFound(err):
		cached = nil
	case err != nil:
		return nil, fmt.Errorf("reading ResourceTracker %s: %w", name, err)
	}
	return s.newest(name, cached), nil
}

// Record makes sure that everything in wanted is on the ledger, beside what is there, and says that the ledger was written
// for this rendering. It writes only what is not so already. It must succeed before anything of wanted is applied.
func (s *Store) Record(ctx context.Context, owner object.Owner, ledger *corev1alpha1.ResourceTracker, wanted Wanted) (*corev1alpha1.ResourceTracker, error) {
	next := recorded(ledger, owner, wanted)
	if ledger != nil && same(ledger, next) {
		return ledger, nil
	}
	return s.write(ctx, next)
}

// Drop takes resources off the ledger. They must be gone from the cluster, or no longer the owner's.
func (s *Store) Drop(ctx context.Context, ledger *corev1alpha1.ResourceTracker, resources []corev1alpha1.TrackedResource) (*corev1alpha1.ResourceTracker, error) {
	next := ledger.DeepCopy()
	next.Spec.Resources = without(next.Spec.Resources, resources)
	if same(ledger, next) {
		return ledger, nil
	}
	return s.write(ctx, next)
}

// Delete removes the whole ledger. Nothing that it names may be left.
func (s *Store) Delete(ctx context.Context, ledger *corev1alpha1.ResourceTracker) error {
	defer s.Forget(ledger.Name)
	precondition := client.Preconditions{UID: &ledger.UID}
	if err := s.spokeClient.Delete(ctx, ledger.DeepCopy(), precondition); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting ResourceTracker %s: %w", ledger.Name, err)
	}
	return nil
}

// Forget drops what is remembered of the tracker of that name. The next Load sees what the cluster has.
func (s *Store) Forget(name string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.written, name)
}

// write creates or updates under the resource version that was read, so that a stale read costs a retry and nothing else.
func (s *Store) write(ctx context.Context, next *corev1alpha1.ResourceTracker) (*corev1alpha1.ResourceTracker, error) {
	var err error
	if next.ResourceVersion == "" {
		err = s.spokeClient.Create(ctx, next)
	} else {
		err = s.spokeClient.Update(ctx, next)
	}
	if err != nil {
		s.Forget(next.Name)
		return nil, fmt.Errorf("writing ResourceTracker %s: %w", next.Name, err)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.written[next.Name] = next
	return next, nil
}

// newest is the Store's own last write until the cache has caught up with it.
func (s *Store) newest(name string, cached *corev1alpha1.ResourceTracker) *corev1alpha1.ResourceTracker {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	written, ok := s.written[name]
	if !ok {
		return cached
	}
	if cached != nil && !resourceversion.Older(cached.ResourceVersion, written.ResourceVersion) {
		delete(s.written, name)
		return cached
	}
	return written
}

func same(a, b *corev1alpha1.ResourceTracker) bool {
	return a.Spec.Component == b.Spec.Component &&
		a.Spec.RenderHash == b.Spec.RenderHash &&
		slices.Equal(a.Spec.Resources, b.Spec.Resources)
}
