package work

import (
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/cache"
	workv1 "open-cluster-management.io/api/work/v1"
)

// loops are the agent's loops; what is a matter for which is decided here.
type loops struct {
	works   *workLoop
	records *recordLoop
	status  *statusLoop
}

// subscribe feeds the loops' queues from the two caches.
func (l *loops) subscribe(works, records cache.SharedIndexInformer) error {
	_, err := works.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(item any) { l.workAdded(item.(*manifestWork)) },
		UpdateFunc: func(before, now any) { l.workUpdated(before.(*manifestWork), now.(*manifestWork)) },
		DeleteFunc: l.workDeleted,
	})
	if err != nil {
		return err
	}
	_, err = records.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(item any) { l.recordChanged(item.(*workv1.AppliedManifestWork)) },
		UpdateFunc: func(_, now any) { l.recordChanged(now.(*workv1.AppliedManifestWork)) },
		DeleteFunc: l.recordDeleted,
	})
	return err
}

func (l *loops) workAdded(work *manifestWork) {
	l.works.Queue.Add(work.Name)
	l.status.Queue.Add(work.Name)
	l.records.Queue.Add(l.records.records.nameFor(work.Name))
}

func (l *loops) workUpdated(before, now *manifestWork) {
	respecified := !equality.Semantic.DeepEqual(before.Spec, now.Spec)
	if !respecified || len(now.Spec.Workload.Manifests) == 0 {
		l.status.Queue.Add(now.Name)
	}
	// A new spec is first applied. Applied then changes, which is the event that it is reported
	// on for; both at once would only stand in each other's way.
	switch {
	case now.DeletionTimestamp != nil || !now.managed():
		l.works.Queue.Add(now.Name)
	case respecified || !equality.Semantic.DeepEqual(before.Labels, now.Labels):
		l.works.Queue.Forget(now.Name) // it does not serve out the back-off of the old one
		l.works.Queue.Add(now.Name)
	}
}

func (l *loops) workDeleted(item any) {
	if tombstone, ok := item.(cache.DeletedFinalStateUnknown); ok {
		item = tombstone.Obj
	}
	if work, ok := item.(*manifestWork); ok {
		l.records.Queue.Add(l.records.records.nameFor(work.Name))
	}
}

func (l *loops) recordChanged(record *workv1.AppliedManifestWork) {
	l.records.Queue.Add(record.Name)
}

// recordDeleted tells the work that may be waiting for its record's end.
func (l *loops) recordDeleted(item any) {
	if tombstone, ok := item.(cache.DeletedFinalStateUnknown); ok {
		item = tombstone.Obj
	}
	record, ok := item.(*workv1.AppliedManifestWork)
	if !ok {
		return
	}
	l.records.Queue.Add(record.Name)
	work := l.works.works.get(l.records.records.workOf(record.Name))
	if work != nil && work.DeletionTimestamp != nil {
		l.works.Queue.Add(work.Name)
	}
}

// withoutManagedFields is a cache transform: nothing here reads them, and they are often the
// larger half of an object.
func withoutManagedFields(item any) (any, error) {
	if object, err := meta.Accessor(item); err == nil {
		object.SetManagedFields(nil)
	}
	return item, nil
}
