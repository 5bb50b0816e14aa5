package ocm

import (
	"context"
	"fmt"

	workv1 "open-cluster-management.io/api/work/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"wheelwright.dev/wheelwright/dispatch"
)

// SetupNamespaces adds the controller that drops the work of a namespace when the last work that needs it has gone from
// the cluster. A request names the cluster and the namespace.
func SetupNamespaces(mgr ctrl.Manager, p *Dispatcher) error {
	err := ctrl.NewControllerManagedBy(mgr).
		Named("namespace-work").
		Watches(&workv1.ManifestWork{}, handler.EnqueueRequestsFromMapFunc(neededNamespace), builder.WithPredicates(namespaceMayBeFree())).
		Complete(reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			return reconcile.Result{}, p.ReleaseNamespace(ctx, request.Namespace, request.Name)
		}))
	if err != nil {
		return fmt.Errorf("setting up the controller of namespace works: %w", err)
	}
	return nil
}

func neededNamespace(_ context.Context, work client.Object) []reconcile.Request {
	namespace := work.GetLabels()[dispatch.NamespaceLabel]
	if namespace == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: work.GetNamespace(), Name: namespace}}}
}

// namespaceMayBeFree passes the end of an object's work and, after a restart, each namespace's work: its last user may have
// gone meanwhile.
func namespaceMayBeFree() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			return e.IsInInitialList && e.Object.GetLabels()[dispatch.KindLabel] == dispatch.KindNamespace
		},
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
		DeleteFunc: func(e event.DeleteEvent) bool {
			return e.Object.GetLabels()[dispatch.KindLabel] == dispatch.KindObject
		},
	}
}
