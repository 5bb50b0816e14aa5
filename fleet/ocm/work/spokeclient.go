package work

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"
	workv1 "open-cluster-management.io/api/work/v1"

	"wheelwright.dev/wheelwright/fleet/ocm/internal/mergepatch"
)

// spokeClient reaches the objects of the managed cluster by what a work records of them.
type spokeClient struct{ dynamic.Interface }

func (c spokeClient) of(object workv1.ManifestResourceMeta) dynamic.ResourceInterface {
	return c.Resource(resourceOf(object)).Namespace(object.Namespace)
}

func (c spokeClient) get(ctx context.Context, object workv1.ManifestResourceMeta) (*unstructured.Unstructured, error) {
	return c.of(object).Get(ctx, object.Name, metav1.GetOptions{})
}

// setOwner brings about the ownership of a live object. It makes no call when the object as
// given has it already. The references are replaced as a list, hence under a lock: a writer in
// between makes it read the object and try again.
func (c spokeClient) setOwner(
	ctx context.Context, object workv1.ManifestResourceMeta, live *unstructured.Unstructured, want ownership,
) (*unstructured.Unstructured, error) {
	stale := false
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() (err error) {
		if stale {
			if live, err = c.get(ctx, object); err != nil {
				return err
			}
		}
		stale = true
		references, changed := mergeOwner(live.GetOwnerReferences(), want)
		if !changed {
			return nil
		}
		patch, err := mergepatch.Metadata(live, "ownerReferences", references)
		if err != nil {
			return err
		}
		live, err = c.of(object).Patch(ctx, object.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
	return live, err
}
