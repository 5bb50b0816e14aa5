package application

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	labelselection "k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"
	workv1 "open-cluster-management.io/api/work/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Options of Setup.
type Options struct {
	Dispatcher dispatch.Dispatcher
	Checker    Checker
	// Workers is how many Applications are reconciled at a time.
	Workers int
}

// CacheOptions makes the manager's cache keep only the ControllerRevisions that hold locked definitions.
func CacheOptions() (map[client.Object]cache.ByObject, error) {
	ours, err := labels.NewRequirement(ApplicationUIDLabel, labelselection.Exists, nil)
	if err != nil {
		return nil, err
	}
	return map[client.Object]cache.ByObject{
		&appsv1.ControllerRevision{}: {Label: labels.NewSelector().Add(*ours)},
	}, nil
}

// Setup adds the controller to the hub's manager.
func Setup(mgr ctrl.Manager, options Options) error {
	r := &Reconciler{
		hubClient: mgr.GetClient(), hubReader: mgr.GetAPIReader(), dispatcher: options.Dispatcher, checker: options.Checker,
		recorder: mgr.GetEventRecorderFor("wheelwright-hub"), pace: newPace(), builds: newBuilds(), now: time.Now,
	}
	err := ctrl.NewControllerManagedBy(mgr).
		Named("application").
		For(&corev1alpha1.Application{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&workv1.ManifestWork{}, handler.EnqueueRequestsFromMapFunc(r.ownerOfWork)).
		Watches(&workv1.ManifestWork{}, handler.EnqueueRequestsFromMapFunc(r.freedByWork), builder.WithPredicates(onlyDeletes())).
		Watches(&clusterv1.ManagedCluster{}, handler.EnqueueRequestsFromMapFunc(r.everyApplication), builder.WithPredicates(clusterChanged())).
		Watches(&clusterv1beta2.ManagedClusterSet{}, handler.EnqueueRequestsFromMapFunc(r.everyApplication), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&clusterv1beta2.ManagedClusterSetBinding{}, handler.EnqueueRequestsFromMapFunc(r.applicationsIn), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&clusterv1beta1.PlacementDecision{}, handler.EnqueueRequestsFromMapFunc(r.applicationsIn)).
		Watches(&corev1alpha1.TraitDefinition{}, handler.EnqueueRequestsFromMapFunc(r.rejectedApplications), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&corev1alpha1.ComponentDefinition{}, handler.EnqueueRequestsFromMapFunc(r.rejectedApplications), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: options.Workers}).
		Complete(r)
	if err != nil {
		return fmt.Errorf("setting up the application controller: %w", err)
	}
	return nil
}

// ownerOfWork maps a work to the Application that it is for.
func (r *Reconciler) ownerOfWork(_ context.Context, work client.Object) []reconcile.Request {
	owner, ok := dispatch.ParseOwner(work)
	if !ok || owner.Kind != "Application" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: owner.Namespace, Name: owner.Name}}}
}

// freedByWork maps a work that is gone to those who missed it: the Applications that need its namespace, or that were
// refused its name.
func (r *Reconciler) freedByWork(ctx context.Context, work client.Object) []reconcile.Request {
	keep := refused
	if work.GetLabels()[dispatch.KindLabel] == dispatch.KindNamespace {
		keep = nil
	}
	return r.list(ctx, keep, client.InNamespace(work.GetLabels()[dispatch.NamespaceLabel]))
}

func (r *Reconciler) everyApplication(ctx context.Context, _ client.Object) []reconcile.Request {
	return r.list(ctx, nil)
}

func (r *Reconciler) applicationsIn(ctx context.Context, object client.Object) []reconcile.Request {
	return r.list(ctx, nil, client.InNamespace(object.GetNamespace()))
}

// rejectedApplications are those whose newest spec waits for a definition. All others have theirs locked.
func (r *Reconciler) rejectedApplications(ctx context.Context, _ client.Object) []reconcile.Request {
	return r.list(ctx, func(app *corev1alpha1.Application) bool { return app.Status.AcceptedGeneration != app.Generation })
}

func (r *Reconciler) list(ctx context.Context, keep func(*corev1alpha1.Application) bool, options ...client.ListOption) []reconcile.Request {
	apps := &corev1alpha1.ApplicationList{}
	if err := r.hubClient.List(ctx, apps, options...); err != nil {
		// Only a cache that is shutting down fails to list.
		ctrl.LoggerFrom(ctx).Error(err, "listing Applications to requeue")
		return nil
	}
	var requests []reconcile.Request
	for i := range apps.Items {
		if keep == nil || keep(&apps.Items[i]) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&apps.Items[i])})
		}
	}
	return requests
}

// refused Applications have a pair that another owner holds.
func refused(app *corev1alpha1.Application) bool {
	for _, offender := range app.Status.Offenders {
		if offender.Reason == dispatch.ReasonClaimed {
			return true
		}
	}
	return false
}

func onlyDeletes() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// clusterChanged passes what placement and readings depend on: labels, existence and availability. A fleet's clusters
// report themselves often, and nothing else of it matters here.
func clusterChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*clusterv1.ManagedCluster), e.ObjectNew.(*clusterv1.ManagedCluster)
		return !labels.Equals(before.Labels, after.Labels) || availability(before) != availability(after)
	}}
}

func availability(cluster *clusterv1.ManagedCluster) metav1.ConditionStatus {
	for _, c := range cluster.Status.Conditions {
		if c.Type == clusterv1.ManagedClusterConditionAvailable {
			return c.Status
		}
	}
	return metav1.ConditionUnknown
}
