package application

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// readFleet gathers what placement needs to know: all joined clusters, the sets bound to the Application's namespace, and
// the decisions of the Placement that it names.
func (r *Reconciler) readFleet(ctx context.Context, app *corev1alpha1.Application) (fleet, error) {
	var f fleet
	clusters := &clusterv1.ManagedClusterList{}
	if err := r.hubClient.List(ctx, clusters); err != nil {
		return f, fmt.Errorf("listing ManagedClusters: %w", err)
	}
	f.clusters = clusters.Items
	bindings := &clusterv1beta2.ManagedClusterSetBindingList{}
	if err := r.hubClient.List(ctx, bindings, client.InNamespace(app.Namespace)); err != nil {
		return f, fmt.Errorf("listing ManagedClusterSetBindings in %s: %w", app.Namespace, err)
	}
	for i := range bindings.Items {
		set := &clusterv1beta2.ManagedClusterSet{}
		err := r.hubClient.Get(ctx, types.NamespacedName{Name: bindings.Items[i].Spec.ClusterSet}, set)
		if err == nil {
			f.sets = append(f.sets, *set)
		} else if !apierrors.IsNotFound(err) {
			return f, fmt.Errorf("reading ManagedClusterSet %s: %w", bindings.Items[i].Spec.ClusterSet, err)
		}
	}
	if ref := app.Spec.Placement.PlacementRef; ref != nil {
		return f, r.readDecisions(ctx, app.Namespace, ref.Name, &f)
	}
	return f, nil
}

func (r *Reconciler) readDecisions(ctx context.Context, namespace, placement string, f *fleet) error {
	decisions := &clusterv1beta1.PlacementDecisionList{}
	err := r.hubClient.List(ctx, decisions, client.InNamespace(namespace), client.MatchingLabels{clusterv1beta1.PlacementLabel: placement})
	if err != nil {
		return fmt.Errorf("listing the decisions of Placement %s/%s: %w", namespace, placement, err)
	}
	f.decided = sets.New[string]()
	for i := range decisions.Items {
		for _, decision := range decisions.Items[i].Status.Decisions {
			f.decided.Insert(decision.ClusterName)
		}
	}
	return nil
}

func (r *Reconciler) joinedClusters(ctx context.Context) (sets.Set[string], error) {
	clusters := &clusterv1.ManagedClusterList{}
	if err := r.hubClient.List(ctx, clusters); err != nil {
		return nil, fmt.Errorf("listing ManagedClusters: %w", err)
	}
	names := sets.New[string]()
	for i := range clusters.Items {
		names.Insert(clusters.Items[i].Name)
	}
	return names, nil
}
