package work

import (
	"context"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	workv1 "open-cluster-management.io/api/work/v1"

	"wheelwright.dev/wheelwright/fleet/ocm/internal/reconcile"
)

// recordLoop ends records: it deletes the objects of those that are deleted, and deletes those
// that have been without a work for the grace period.
type recordLoop struct {
	*reconcile.Loop
	spokeClient spokeClient
	works       workLister
	records     *recordClient
	watches     *objectReader
	unchanged   *applyCache
	grace       time.Duration
	removing    workqueue.TypedRateLimiter[string] // how long to wait for objects that take their time to go
}

func newRemovingBackoff() workqueue.TypedRateLimiter[string] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[string](50*time.Millisecond, time.Minute)
}

// sync is the reconcile of one AppliedManifestWork. Those of other agents are left alone.
func (l *recordLoop) sync(ctx context.Context, name string) (time.Duration, error) {
	record, err := l.records.lister.Get(name)
	if apierrors.IsNotFound(err) {
		l.removing.Forget(name)
		return 0, nil
	}
	if err != nil || record.Spec.AgentID != l.records.agentID {
		return 0, err
	}
	if record.DeletionTimestamp != nil {
		return l.finalize(ctx, record)
	}
	if l.grace >= NeverEvict || l.wanted(record) {
		return 0, l.records.setEvictionStart(ctx, record, nil)
	}
	start := record.Status.EvictionStartTime
	if start == nil {
		now := metav1.Now()
		return 0, l.records.setEvictionStart(ctx, record, &now) // the change is an event
	}
	if remaining := time.Until(start.Add(l.grace)); remaining > 0 {
		return remaining, nil
	}
	return 0, l.records.delete(ctx, record)
}

// wanted tells whether the record is of this hub and its work is there. A record of another hub
// is not, even when a work of its name is there: that one has a record of its own.
func (l *recordLoop) wanted(record *workv1.AppliedManifestWork) bool {
	return l.records.workOf(record.Name) != "" && l.works.get(record.Spec.ManifestWorkName) != nil
}

// finalize removes the recorded objects and, once they have gone, lets the record go.
//
// An object that cannot be read is struck off the record: from then on only its owner reference
// stands for its removal. That is how OCM's agent does it.
func (l *recordLoop) finalize(ctx context.Context, record *workv1.AppliedManifestWork) (time.Duration, error) {
	if !slices.Contains(record.Finalizers, workv1.AppliedManifestWorkFinalizer) {
		return 0, nil
	}
	for _, resource := range record.Status.AppliedResources {
		l.watches.unwatch(record.Spec.ManifestWorkName, objectOf(resource))
		l.unchanged.forget(resource.ResourceIdentifier)
	}
	pending, removeErr := l.spokeClient.removeRecorded(ctx, record.Status.AppliedResources, referenceTo(record))
	if removeErr == nil && len(pending) == 0 {
		return 0, l.records.release(ctx, record)
	}
	if err := l.records.setApplied(ctx, record, pending); err != nil {
		return 0, ignoreNotFound(err)
	}
	if removeErr != nil {
		return 0, removeErr
	}
	return l.removing.When(record.Name), nil
}
