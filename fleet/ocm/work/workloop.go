package work

import (
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
	workv1 "open-cluster-management.io/api/work/v1"

	"wheelwright.dev/wheelwright/fleet/ocm/internal/mergepatch"
	"wheelwright.dev/wheelwright/fleet/ocm/internal/reconcile"
)

// workLoop brings works to the spoke and, once they are deleted, off it.
type workLoop struct {
	*reconcile.Loop
	hubClient   *hubClient
	spokeClient spokeClient
	works       workLister
	records     *recordClient
	applier     *applier
	mapper      meta.RESTMapper
	watches     *objectReader
	resync      time.Duration
	pruning     workqueue.TypedRateLimiter[string] // how long to wait for objects that take their time to go
}

func newPruningBackoff() workqueue.TypedRateLimiter[string] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 1000*time.Second)
}

// sync is the reconcile of one work.
func (l *workLoop) sync(ctx context.Context, name string) (time.Duration, error) {
	work := l.works.get(name)
	if work == nil {
		return 0, nil
	}
	if work.DeletionTimestamp != nil {
		return 0, l.finalize(ctx, work)
	}
	work, err := l.adopt(ctx, work)
	if err != nil {
		return 0, err
	}
	record, err := l.records.ensure(ctx, work)
	if err != nil {
		return 0, err
	}

	manifests := parseManifests(work.Spec.Workload.Manifests, l.mapper)
	outcomes := l.applier.applyAll(ctx, work, manifests, referenceTo(record))
	recorded, pruned, pruneErr := l.prune(ctx, work, record, outcomes)

	err = l.hubClient.updateStatus(ctx, work, func(current *manifestWork) workv1.ManifestWorkStatus {
		return withOutcomes(current.Status, outcomes, current.Generation)
	})
	if err != nil {
		return 0, err
	}
	if err := l.records.setApplied(ctx, record, recorded); err != nil {
		return 0, err
	}
	if err := errors.Join(retryable(outcomes), pruneErr); err != nil {
		return 0, err
	}
	if !pruned {
		return l.pruning.When(name), nil
	}
	l.pruning.Forget(name)
	return wait.Jitter(l.resync, 0.5), nil
}

// adopt puts the agent's finalizer on a work that does not have it.
func (l *workLoop) adopt(ctx context.Context, work *manifestWork) (*manifestWork, error) {
	if work.managed() {
		return work, nil
	}
	patch, err := mergepatch.Metadata(work, "finalizers", append(slices.Clone(work.Finalizers), workv1.ManifestWorkFinalizer))
	if err != nil {
		return nil, err
	}
	return l.hubClient.patch(ctx, work.Name, patch)
}

// prune lets go of what was recorded and is not in the work any more. It returns what is to be
// recorded now and whether everything has gone; on an error the record stays as it is.
func (l *workLoop) prune(
	ctx context.Context, work *manifestWork, record *workv1.AppliedManifestWork, outcomes []outcome,
) (recorded []workv1.AppliedManifestResourceMeta, done bool, err error) {
	recorded = record.Status.AppliedResources
	// Without manifests there is no Applied condition either, and a work that never had one may
	// be a copy on a new hub whose manifests are still to come: what is applied must stay.
	if record.DeletionTimestamp != nil || len(outcomes) == 0 && !work.applied() {
		return recorded, true, nil
	}
	current, err := l.spokeClient.recordable(ctx, outcomes)
	if err != nil {
		return recorded, false, err
	}
	dropped := noLongerIn(current, recorded)
	for _, resource := range dropped {
		l.watches.unwatch(work.Name, objectOf(resource))
		l.applier.unchanged.forget(resource.ResourceIdentifier)
	}
	pending, err := l.spokeClient.removeRecorded(ctx, dropped, referenceTo(record))
	if err != nil {
		return recorded, false, err
	}
	current = append(current, pending...)
	sortRecorded(current)
	return current, len(pending) == 0, nil
}

// finalize takes a deleted work off the spoke by deleting its record, and lets go of it when
// the record, and so each object, has gone.
func (l *workLoop) finalize(ctx context.Context, work *manifestWork) error {
	if !work.managed() {
		return nil
	}
	record, err := l.records.find(ctx, work.Name)
	if apierrors.IsNotFound(err) {
		return l.release(ctx, work)
	}
	if err != nil || record.DeletionTimestamp != nil {
		return err // the end of the record is an event
	}
	err = l.hubClient.updateStatus(ctx, work, func(current *manifestWork) workv1.ManifestWorkStatus {
		status := *current.Status.DeepCopy()
		meta.SetStatusCondition(&status.Conditions, workDeleting(current.Generation))
		return status
	})
	if err != nil {
		return err
	}
	return l.records.delete(ctx, record)
}

func (l *workLoop) release(ctx context.Context, work *manifestWork) error {
	left := slices.DeleteFunc(slices.Clone(work.Finalizers), func(finalizer string) bool {
		return finalizer == workv1.ManifestWorkFinalizer
	})
	patch, err := mergepatch.Metadata(work, "finalizers", left)
	if err != nil {
		return err
	}
	_, err = l.hubClient.patch(ctx, work.Name, patch)
	return ignoreNotFound(err)
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
