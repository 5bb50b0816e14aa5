package ocm

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/dispatch"
	"wheelwright.dev/wheelwright/shared/resourceversion"
)

// maxAttempts bounds how often one delivery meets another writer before it is left to the next reconcile. The work agent
// writes the same objects, so a conflict or two under load are normal.
const maxAttempts = 5

// Dispatcher delivers objects by ManifestWorks.
type Dispatcher struct {
	hubClient client.Client // reads from the cache that CacheOptions and Index prepared
	hubReader client.Reader // reads live
	features  dispatch.Features
	deadline  time.Duration
	now       func() time.Time
	written   resourceversion.Written // of works
}

// Options of New.
type Options struct {
	// HubClient writes, and reads from a cache made with CacheOptions and Index.
	HubClient client.Client
	// HubReader reads live, past the cache.
	HubReader client.Reader
	// Features of the hub, from DetectFeatures.
	Features dispatch.Features
	// ProgressDeadline is how long applied content may be unhealthy before it counts as failed.
	ProgressDeadline time.Duration
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// New makes a Dispatcher.
func New(options Options) *Dispatcher {
	now := options.Now
	if now == nil {
		now = time.Now
	}
	return &Dispatcher{
		hubClient: options.HubClient, hubReader: options.HubReader, features: options.Features,
		deadline: options.ProgressDeadline, now: now,
	}
}

// Deliver makes the cluster's work carry the delivery. It writes nothing when the work carries this content already, and
// otherwise content, owner, hash and revision in one call, on the condition that the work has not changed since it was
// read. It returns *dispatch.ClaimedError or dispatch.ErrTerminating where the name is taken.
func (p *Dispatcher) Deliver(ctx context.Context, d dispatch.Delivery) error {
	existing, err := p.cached(ctx, d.Cluster, d.Content)
	for attempt := 0; ; attempt++ {
		if err != nil {
			return err
		}
		action := dispatch.Decide(d, existing)
		switch action {
		case dispatch.Keep:
			return nil
		case dispatch.Wait:
			return dispatch.ErrTerminating
		case dispatch.Claimed:
			return claimed(d, existing)
		}
		err = p.write(ctx, d, existing)
		if err == nil || attempt == maxAttempts || !lostRace(err) {
			return err
		}
		existing, err = p.live(ctx, d.Cluster, d.Content)
	}
}

func (p *Dispatcher) write(ctx context.Context, d dispatch.Delivery, existing *workv1.ManifestWork) error {
	packed, err := dispatch.Pack(d, p.features)
	if err != nil {
		return err
	}
	if err := p.put(ctx, packed, existing); err != nil {
		return fmt.Errorf("writing the work of %s on cluster %s: %w", d.Content.Describe(), d.Cluster, err)
	}
	return nil
}

// put creates the work, or replaces its content on the condition that it is still the one that was read.
func (p *Dispatcher) put(ctx context.Context, packed *unstructured.Unstructured, existing *workv1.ManifestWork) error {
	if existing == nil {
		if err := p.hubClient.Create(ctx, packed); err != nil {
			return err
		}
	} else {
		packed.SetResourceVersion(existing.ResourceVersion)
		packed.SetUID(existing.UID)
		patch, err := packed.MarshalJSON()
		if err != nil {
			return err
		}
		if err := p.hubClient.Patch(ctx, packed, client.RawPatch(types.MergePatchType, patch)); err != nil {
			return err
		}
	}
	p.written.Note(packed)
	return nil
}

// Read says what is known of a delivery, from the cache.
func (p *Dispatcher) Read(ctx context.Context, wanted dispatch.Delivery) (dispatch.Reading, error) {
	work, err := p.cached(ctx, wanted.Cluster, wanted.Content)
	if err != nil {
		return dispatch.Reading{}, err
	}
	return p.read(ctx, p.hubClient, wanted, work)
}

// ReadLive is Read past the cache, for a decision that opens a gate.
func (p *Dispatcher) ReadLive(ctx context.Context, wanted dispatch.Delivery) (dispatch.Reading, error) {
	work, err := p.live(ctx, wanted.Cluster, wanted.Content)
	if err != nil {
		return dispatch.Reading{}, err
	}
	return p.read(ctx, p.hubReader, wanted, work)
}

func (p *Dispatcher) read(ctx context.Context, reader client.Reader, wanted dispatch.Delivery, work *workv1.ManifestWork) (dispatch.Reading, error) {
	source := dispatch.Source{Work: work, Now: p.now(), ProgressDeadline: p.deadline}
	if work != nil {
		source.Stale = p.written.AheadOf(work)
		cluster := &clusterv1.ManagedCluster{}
		err := reader.Get(ctx, types.NamespacedName{Name: work.Namespace}, cluster)
		switch {
		case err == nil:
			source.Cluster = cluster
		case !apierrors.IsNotFound(err):
			return dispatch.Reading{}, fmt.Errorf("reading ManagedCluster %s: %w", work.Namespace, err)
		}
	}
	return dispatch.Read(wanted, source), nil
}

func (p *Dispatcher) cached(ctx context.Context, cluster string, content *dispatch.Content) (*workv1.ManifestWork, error) {
	return get(ctx, p.hubClient, types.NamespacedName{Namespace: cluster, Name: content.WorkName()})
}

func (p *Dispatcher) live(ctx context.Context, cluster string, content *dispatch.Content) (*workv1.ManifestWork, error) {
	return get(ctx, p.hubReader, types.NamespacedName{Namespace: cluster, Name: content.WorkName()})
}

func get(ctx context.Context, reader client.Reader, key types.NamespacedName) (*workv1.ManifestWork, error) {
	work := &workv1.ManifestWork{}
	err := reader.Get(ctx, key, work)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading work %s: %w", key, err)
	}
	return work, nil
}

func claimed(d dispatch.Delivery, work *workv1.ManifestWork) error {
	by := "ManifestWork " + work.Namespace + "/" + work.Name + ", which is not Wheelwright's"
	if owner, ok := dispatch.ParseOwner(work); ok {
		by = owner.Kind + " " + owner.Namespace + "/" + owner.Name
		if !work.DeletionTimestamp.IsZero() {
			by += " (being deleted)"
		}
	}
	return &dispatch.ClaimedError{Object: d.Content.Describe(), Cluster: d.Cluster, By: by}
}

// lostRace: somebody wrote first. The next attempt decides anew from a live read.
func lostRace(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err)
}

// Owned lists the works of an owner.
func (p *Dispatcher) Owned(ctx context.Context, owner types.UID) ([]dispatch.Work, error) {
	list := &workv1.ManifestWorkList{}
	if err := p.hubClient.List(ctx, list, client.MatchingFields{ownerUIDIndex: string(owner)}); err != nil {
		return nil, fmt.Errorf("listing works of owner %s: %w", owner, err)
	}
	works := make([]dispatch.Work, 0, len(list.Items))
	for i := range list.Items {
		item := &list.Items[i]
		works = append(works, dispatch.Work{
			Cluster: item.Namespace, Name: item.Name, Object: item.Annotations[dispatch.ObjectAnnotation],
			Namespace: item.Labels[dispatch.NamespaceLabel], Deleting: !item.DeletionTimestamp.IsZero(), UID: item.UID,
		})
	}
	return works, nil
}

// Withdraw deletes a work and, by the work agent, its object. It returns before the object is gone: the work stays, with a
// deletion timestamp, for as long as the object does.
func (p *Dispatcher) Withdraw(ctx context.Context, work dispatch.Work) error {
	if work.Deleting {
		return nil
	}
	object := &workv1.ManifestWork{ObjectMeta: metav1.ObjectMeta{Namespace: work.Cluster, Name: work.Name}}
	err := p.hubClient.Delete(ctx, object, client.Preconditions{UID: &work.UID})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting the work of %s on cluster %s: %w", work.Object, work.Cluster, err)
	}
	p.written.Forget(work.UID)
	return nil
}
