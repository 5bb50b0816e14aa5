package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	workv1 "open-cluster-management.io/api/work/v1"
)

// recordable returns what the AppliedManifestWork is to record after an apply: every manifest
// whose object exists, applied or not. One manifest of which that cannot be found out fails the
// whole: then nothing is recorded, and nothing is pruned.
func (c spokeClient) recordable(ctx context.Context, outcomes []outcome) ([]workv1.AppliedManifestResourceMeta, error) {
	var resources []workv1.AppliedManifestResourceMeta
	var errs []error
	for _, result := range outcomes {
		uid, err := c.uidOf(ctx, result)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("failed to get resource with key %s/%s: %w", result.meta.Namespace, result.meta.Name, err))
			continue
		}
		resources = append(resources, workv1.AppliedManifestResourceMeta{
			ResourceIdentifier: identifierOf(result.meta),
			Version:            result.meta.Version,
			UID:                string(uid),
		})
	}
	return resources, errors.Join(errs...)
}

func (c spokeClient) uidOf(ctx context.Context, result outcome) (types.UID, error) {
	if result.err == nil && result.live != nil {
		return result.live.GetUID(), nil
	}
	if !complete(result.meta) {
		return "", errors.New("it cannot be looked up: its kind or name is not known")
	}
	live, err := c.get(ctx, result.meta)
	if err != nil {
		return "", err
	}
	return live.GetUID(), nil
}

// noLongerIn returns the recorded objects that are not among the current ones. An object may
// have got another API version or UID and still be the same entry.
func noLongerIn(current, recorded []workv1.AppliedManifestResourceMeta) []workv1.AppliedManifestResourceMeta {
	kept := map[workv1.ResourceIdentifier]bool{}
	for _, resource := range current {
		kept[resource.ResourceIdentifier] = true
	}
	return slices.DeleteFunc(slices.Clone(recorded), func(r workv1.AppliedManifestResourceMeta) bool {
		return kept[r.ResourceIdentifier]
	})
}

func sortRecorded(resources []workv1.AppliedManifestResourceMeta) {
	slices.SortStableFunc(resources, func(a, b workv1.AppliedManifestResourceMeta) int {
		return cmp.Or(
			cmp.Compare(a.Group, b.Group),
			cmp.Compare(a.Version, b.Version),
			cmp.Compare(a.Resource, b.Resource),
			cmp.Compare(a.Namespace, b.Namespace),
			cmp.Compare(a.Name, b.Name))
	})
}

// departure is what becomes of a recorded object that its work no longer wants.
type departure int

const (
	leave   departure = iota // it is not ours, or not the one recorded
	release                  // another work owns it too
	await                    // it is going already
	remove                   // it is ours alone
)

// depart decides the departure of a live object.
func depart(live *unstructured.Unstructured, recordedUID string, owner metav1.OwnerReference) departure {
	switch {
	case !ownedBy(live, owner):
		return leave
	case ownedByAnother(live, owner):
		return release
	case string(live.GetUID()) != recordedUID:
		return leave
	case live.GetDeletionTimestamp() != nil:
		return await
	}
	return remove
}

// removeRecorded lets go of recorded objects and returns those that are still there because
// something holds them. All are asked to go before any is waited for.
func (c spokeClient) removeRecorded(
	ctx context.Context, resources []workv1.AppliedManifestResourceMeta, owner metav1.OwnerReference,
) (pending []workv1.AppliedManifestResourceMeta, err error) {
	var errs []error
	for _, resource := range resources {
		gone, err := c.removeOne(ctx, resource, owner)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if !gone {
			pending = append(pending, resource)
		}
	}
	return pending, errors.Join(errs...)
}

func (c spokeClient) removeOne(
	ctx context.Context, resource workv1.AppliedManifestResourceMeta, owner metav1.OwnerReference,
) (gone bool, err error) {
	object := objectOf(resource)
	live, err := c.get(ctx, object)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("failed to get resource %s with key %s/%s: %w", resource.Resource, resource.Namespace, resource.Name, err)
	}
	switch depart(live, resource.UID, owner) {
	case leave:
		return true, nil
	case release:
		if _, err := c.setOwner(ctx, object, live, ownership{reference: owner, released: true}); err != nil {
			return false, fmt.Errorf("failed to remove owner from resource %s with key %s/%s: %w", resource.Resource, resource.Namespace, resource.Name, err)
		}
		return true, nil
	case await:
		return false, nil
	}
	return c.deleteExactly(ctx, object, live.GetUID())
}

// deleteExactly deletes the object of that UID and looks whether it has gone at once, as one
// without finalizers has.
func (c spokeClient) deleteExactly(ctx context.Context, object workv1.ManifestResourceMeta, uid types.UID) (gone bool, err error) {
	propagation := metav1.DeletePropagationBackground
	err = c.of(object).Delete(ctx, object.Name, metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{UID: &uid},
		PropagationPolicy: &propagation,
	})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("failed to delete resource %s with key %s/%s: %w", object.Resource, object.Namespace, object.Name, err)
	}
	live, err := c.get(ctx, object)
	return apierrors.IsNotFound(err) || err == nil && live.GetUID() != uid, nil
}

func objectOf(resource workv1.AppliedManifestResourceMeta) workv1.ManifestResourceMeta {
	return workv1.ManifestResourceMeta{
		Group:     resource.Group,
		Version:   resource.Version,
		Resource:  resource.Resource,
		Namespace: resource.Namespace,
		Name:      resource.Name,
	}
}
