package application

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// teardown withdraws an Application's works, on each cluster the dependents first, and reports what is left. Nothing left
// means that every object is confirmed gone, or its cluster is.
func (r *Reconciler) teardown(ctx context.Context, app *corev1alpha1.Application) ([]dispatch.Work, error) {
	works, err := r.dispatcher.Owned(ctx, app.UID)
	if err != nil {
		return nil, err
	}
	joined, err := r.joinedClusters(ctx)
	if err != nil {
		return nil, err
	}
	var left []dispatch.Work
	for _, work := range works {
		if joined.Has(work.Cluster) {
			left = append(left, work)
		}
	}
	return left, r.withdraw(ctx, nextToGo(left, depths(app)))
}

// depths maps the name of each component's work to its level. A work that the spec does not know is deepest of all, and so
// goes first. Dependencies that go round in a circle give no order.
func depths(app *corev1alpha1.Application) map[string]int {
	found, _ := levels(app.Spec.Components)
	names := map[string]int{}
	for depth, level := range found {
		for _, component := range level {
			names[dispatch.WorkName("Component", app.Namespace, componentName(app, component))] = depth
		}
	}
	return names
}

// nextToGo picks the deepest works of each cluster: the next level waits until they are gone.
func nextToGo(works []dispatch.Work, depths map[string]int) []dispatch.Work {
	depthOf := func(w dispatch.Work) int {
		if depth, known := depths[w.Name]; known {
			return depth
		}
		return len(depths) + 1
	}
	deepest := map[string]int{}
	for _, w := range works {
		deepest[w.Cluster] = max(deepest[w.Cluster], depthOf(w))
	}
	return slices.DeleteFunc(slices.Clone(works), func(w dispatch.Work) bool { return depthOf(w) < deepest[w.Cluster] })
}

// deletingStatus names the clusters that are waited for.
func deletingStatus(app *corev1alpha1.Application, left []dispatch.Work) corev1alpha1.ApplicationStatus {
	next := *app.Status.DeepCopy()
	next.ObservedGeneration = app.Generation
	clusters := sets.New[string]()
	for _, work := range left {
		clusters.Insert(work.Cluster)
	}
	setter(&next, app.Generation)(condition.Ready, metav1.ConditionFalse, condition.ReasonDeleting, fmt.Sprintf(
		"waits for %d objects to be gone from %s", len(left), quoted(sets.List(clusters))))
	return next
}
