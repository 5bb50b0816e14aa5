package ocm

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/dispatch"
)

// EnsureNamespace makes sure that a work carries the namespace to the cluster. The work belongs to nobody and leaves the
// namespace behind when it goes.
func (p *Dispatcher) EnsureNamespace(ctx context.Context, cluster, namespace string) error {
	if namespace == "" {
		return nil
	}
	content, err := dispatch.NamespaceContent(namespace)
	if err != nil {
		return err
	}
	existing, err := p.cached(ctx, cluster, content)
	switch {
	case err != nil:
		return err
	case existing != nil && existing.DeletionTimestamp.IsZero():
		return nil
	case existing != nil:
		return dispatch.ErrTerminating
	}
	packed, err := dispatch.PackNamespace(cluster, namespace)
	if err != nil {
		return err
	}
	if err := p.put(ctx, packed, nil); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("writing the work of namespace %s on cluster %s: %w", namespace, cluster, err)
	}
	return nil
}

// ReleaseNamespace deletes the namespace's work once no work of ours on that cluster needs it. The namespace itself stays.
// Should somebody begin to need it at this very moment, their next reconcile writes it again.
func (p *Dispatcher) ReleaseNamespace(ctx context.Context, cluster, namespace string) error {
	list := &workv1.ManifestWorkList{}
	err := p.hubClient.List(ctx, list, client.InNamespace(cluster), client.MatchingFields{namespaceIndex: namespace})
	if err != nil {
		return fmt.Errorf("listing works that need namespace %s on cluster %s: %w", namespace, cluster, err)
	}
	if len(list.Items) != 1 || list.Items[0].Labels[dispatch.KindLabel] != dispatch.KindNamespace {
		return nil
	}
	work := &list.Items[0]
	return p.Withdraw(ctx, dispatch.Work{
		Cluster: cluster, Name: work.Name, Object: "Namespace " + namespace,
		Deleting: !work.DeletionTimestamp.IsZero(), UID: work.UID,
	})
}
