package conformance

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// history collects every version that an object has from now on.
type history[T client.Object] struct {
	mutex    sync.Mutex
	versions []T
}

func (h *history[T]) add(version T) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.versions = append(h.versions, version)
}

// all returns the versions so far, oldest first.
func (h *history[T]) all() []T {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return append([]T(nil), h.versions...)
}

// workHistory watches a work, which need not be there yet.
func (r *row) workHistory(name string) *history[*workv1.ManifestWork] {
	r.Helper()
	return follow[*workv1.ManifestWork](r, r.hub, &workv1.ManifestWorkList{}, client.InNamespace(r.cluster), name)
}

// liveHistory watches an object on the spoke, which need not be there yet.
func (r *row) liveHistory(manifest object) *history[object] {
	r.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(manifest.GroupVersionKind().GroupVersion().WithKind(manifest.GetKind() + "List"))
	return follow[object](r, spoke, list, client.InNamespace(manifest.GetNamespace()), manifest.GetName())
}

func follow[T client.Object](r *row, in *cluster, list client.ObjectList, namespace client.InNamespace, name string) *history[T] {
	r.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	selector := client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("metadata.name", name)}
	events, err := in.Watch(ctx, list, namespace, selector)
	if err != nil {
		cancel()
		r.Fatal(err)
	}
	h := &history[T]{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for event := range events.ResultChan() {
			if version, ok := event.Object.(T); ok && event.Type != watch.Deleted {
				h.add(version)
			}
		}
	}()
	r.Cleanup(func() { cancel(); events.Stop(); <-ended })
	return h
}

// awaitVersion waits for a version, past or to come, that satisfies all checks.
func awaitVersion[T client.Object](r *row, h *history[T], what string, checks ...func(T) error) {
	r.Helper()
	r.await(what, func() error {
		for _, version := range h.all() {
			if all(version, checks) == nil {
				return nil
			}
		}
		return fmt.Errorf("none of the %d versions was like that", len(h.all()))
	})
}

// creation is the revision of the cluster at which the object came into being.
func creation(r *row, h *history[object]) int {
	r.Helper()
	r.await("creation", func() error {
		if len(h.all()) == 0 {
			return fmt.Errorf("it has not been created")
		}
		return nil
	})
	revision, err := strconv.Atoi(h.all()[0].GetResourceVersion())
	r.must(err)
	return revision
}

// transition is when the condition last changed; it must be there.
func transition(r *row, conditions []metav1.Condition, kind string) metav1.Time {
	r.Helper()
	for _, condition := range conditions {
		if condition.Type == kind {
			return condition.LastTransitionTime
		}
	}
	r.Fatalf("there is no condition %s", kind)
	return metav1.Time{}
}
