package application

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/sets"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"wheelwright.dev/wheelwright/dispatch"
)

// sortWorks tells which of an Application's works are to go and which are owed: kept on a cluster that left the placement
// while it could not be heard, or that the namespace can no longer reach. OCM drops an unreachable cluster from its
// decisions within minutes, and that must never delete what runs there. What removes is leaving the spec, or the placement
// of a cluster that is heard of. A cluster that is joined no more counts as gone, with all its works.
func sortWorks(works []dispatch.Work, p plan, f fleet) (leave, owed []dispatch.Work, err error) {
	reachable, err := f.reachable()
	if err != nil {
		return nil, nil, err
	}
	available := map[string]bool{}
	for i := range f.clusters {
		cluster := &f.clusters[i]
		available[cluster.Name] = meta.IsStatusConditionTrue(cluster.Status.Conditions, clusterv1.ManagedClusterConditionAvailable)
	}
	chosen, wanted := sets.New(p.clusters...), sets.New[string]()
	for _, content := range p.contents {
		wanted.Insert(content.WorkName())
	}
	for _, work := range works {
		heard, joined := available[work.Cluster]
		switch {
		case chosen.Has(work.Cluster) && wanted.Has(work.Name), !joined:
		case chosen.Has(work.Cluster), heard && reachable.Has(work.Cluster):
			leave = append(leave, work)
		default:
			owed = append(owed, work)
		}
	}
	return leave, owed, nil
}

// withdraw deletes works; one that fails does not keep the others.
func (r *Reconciler) withdraw(ctx context.Context, works []dispatch.Work) error {
	failures := make([]error, 0, len(works))
	for _, work := range works {
		failures = append(failures, r.dispatcher.Withdraw(ctx, work))
	}
	return errors.Join(failures...)
}
