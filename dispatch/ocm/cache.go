package ocm

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/dispatch"
)

const (
	ownerUIDIndex  = "dispatch.ownerUID"
	namespaceIndex = "dispatch.clusterNamespace"
)

// CacheOptions makes the manager's cache keep our works alone, and of them only what a reading needs. A hub with a
// thousand clusters would otherwise hold every manifest of every work in memory.
func CacheOptions() (map[client.Object]cache.ByObject, error) {
	ours, err := labels.NewRequirement(dispatch.KindLabel, selection.Exists, nil)
	if err != nil {
		return nil, err
	}
	return map[client.Object]cache.ByObject{
		&workv1.ManifestWork{}: {Label: labels.NewSelector().Add(*ours), Transform: trim},
	}, nil
}

// trim drops what is never read back: the manifests, their configs and the bookkeeping of field managers.
func trim(object any) (any, error) {
	work, ok := object.(*workv1.ManifestWork)
	if !ok {
		return object, nil
	}
	work.ManagedFields = nil
	work.Spec = workv1.ManifestWorkSpec{}
	return work, nil
}

// Index registers the lookups of Dispatcher with the cache that its reader reads from.
func Index(ctx context.Context, indexer client.FieldIndexer) error {
	err := indexer.IndexField(ctx, &workv1.ManifestWork{}, ownerUIDIndex, func(object client.Object) []string {
		return values(object.GetLabels()[dispatch.OwnerUIDLabel])
	})
	if err != nil {
		return fmt.Errorf("indexing works by owner: %w", err)
	}
	err = indexer.IndexField(ctx, &workv1.ManifestWork{}, namespaceIndex, func(object client.Object) []string {
		return values(object.GetLabels()[dispatch.NamespaceLabel])
	})
	if err != nil {
		return fmt.Errorf("indexing works by the namespace that they need: %w", err)
	}
	return nil
}

func values(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}
