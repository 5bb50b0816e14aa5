package application

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"
	clustersets "open-cluster-management.io/sdk-go/pkg/apis/cluster/v1beta2"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// fleet is what the hub knows of its clusters, as seen from one namespace.
type fleet struct {
	clusters []clusterv1.ManagedCluster
	// sets that are bound to the namespace by a ManagedClusterSetBinding and exist.
	sets []clusterv1beta2.ManagedClusterSet
	// decided are the clusters of the Placement that the Application names, nil where it names none.
	decided sets.Set[string]
}

// selection is the outcome of a placement.
type selection struct {
	clusters []string
	// problem is set when the placement cannot be followed as written.
	problem *problem
}

// problem is what is wrong, as a condition says it.
type problem struct{ reason, message string }

// selectClusters follows the placement. Whatever its form, it sees only clusters of the bound sets, as OCM's own
// placements do. Named clusters must exist and be reachable: a typo must not look like a success.
func selectClusters(placement corev1alpha1.ApplicationPlacement, f fleet) (selection, error) {
	reachable, err := f.reachable()
	if err != nil {
		return selection{}, err
	}
	if placement.Clusters != nil {
		return f.named(placement.Clusters, reachable), nil
	}
	selector := labels.Everything()
	if placement.ClusterSelector != nil {
		if selector, err = metav1.LabelSelectorAsSelector(placement.ClusterSelector); err != nil {
			return selection{}, fmt.Errorf("reading placement.clusterSelector: %w", err)
		}
	}
	var chosen []string
	for _, cluster := range f.clusters {
		if reachable.Has(cluster.Name) && selector.Matches(labels.Set(cluster.Labels)) &&
			(placement.PlacementRef == nil || f.decided.Has(cluster.Name)) {
			chosen = append(chosen, cluster.Name)
		}
	}
	slices.Sort(chosen)
	if len(chosen) == 0 {
		return selection{problem: f.nothing()}, nil
	}
	return selection{clusters: chosen}, nil
}

// reachable are the clusters of the bound sets.
func (f fleet) reachable() (sets.Set[string], error) {
	names := sets.New[string]()
	for i := range f.sets {
		selector, err := clustersets.BuildClusterSelector(&f.sets[i])
		if err != nil {
			return nil, fmt.Errorf("reading ManagedClusterSet %s: %w", f.sets[i].Name, err)
		}
		for _, cluster := range f.clusters {
			if selector.Matches(labels.Set(cluster.Labels)) {
				names.Insert(cluster.Name)
			}
		}
	}
	return names, nil
}

func (f fleet) named(names []string, reachable sets.Set[string]) selection {
	joined := sets.New[string]()
	for _, cluster := range f.clusters {
		joined.Insert(cluster.Name)
	}
	var chosen, absent, unbound []string
	for _, name := range slices.Sorted(slices.Values(names)) {
		switch {
		case !joined.Has(name):
			absent = append(absent, name)
		case !reachable.Has(name):
			unbound = append(unbound, name)
		default:
			chosen = append(chosen, name)
		}
	}
	s := selection{clusters: chosen}
	switch {
	case len(absent) > 0:
		s.problem = &problem{condition.ReasonUnknownCluster, fmt.Sprintf(
			"no ManagedCluster is named %s; joined are %s", quoted(absent), quoted(sets.List(joined)))}
	case len(unbound) > 0:
		s.problem = &problem{condition.ReasonClusterNotBound, fmt.Sprintf(
			"cluster %s is in no ManagedClusterSet that is bound to this namespace: create a ManagedClusterSetBinding for its set", quoted(unbound))}
	}
	return s
}

func (f fleet) nothing() *problem {
	if len(f.sets) == 0 {
		return &problem{condition.ReasonNoClusters,
			"no ManagedClusterSet is bound to this namespace, so no cluster can be reached: create a ManagedClusterSetBinding; what was delivered stays"}
	}
	return &problem{condition.ReasonNoClusters, "the placement selects no cluster; what was delivered stays"}
}

// quoted lists names for a message, at most ten of them.
func quoted(names []string) string {
	const most = 10
	if len(names) == 0 {
		return "none"
	}
	quoted := make([]string, 0, most)
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	list := strings.Join(quoted, ", ")
	if len(names) > most {
		list += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return list
}
