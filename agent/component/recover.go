package component

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/agent/tracker"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// recovered are resources with what the Component owns beside them that its tracker should name and does not: somebody deleted or
// edited that. What is not found stays for good: the agent watches the kinds that are in use, and no others.
func (r *Reconciler) recovered(
	ctx context.Context, run *run, resources []corev1alpha1.TrackedResource,
) ([]corev1alpha1.TrackedResource, error) {
	if !mayLack(run.component, run.ledger) {
		return resources, nil
	}
	var kinds []schema.GroupVersionKind
	for _, resource := range resources {
		if kind := object.KindOfTracked(resource); r.served(kind) && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	found, err := r.watcher.OwnedBy(ctx, run.owner, kinds)
	if err != nil {
		return nil, err
	}
	for _, live := range found {
		applied, err := r.hasApplied(ctx, run.owner, live)
		if err != nil {
			return nil, err
		}
		known := slices.ContainsFunc(resources, func(resource corev1alpha1.TrackedResource) bool {
			return object.KeyOfTracked(resource) == object.KeyOf(live)
		})
		if applied && !known {
			resources = append(resources, object.Tracked(live))
		}
	}
	return resources, nil
}

// mayLack tells whether the tracker of a Component that was processed before is not as the agent wrote it.
func mayLack(component *corev1alpha1.Component, ledger *tracker.Ledger) bool {
	if ledger == nil {
		return component.Status.Event != nil
	}
	return ledger.IsEdited()
}

// hasApplied tells whether the agent applied an object for owner. Labels alone do not say so: a copy of an object that a person
// makes has them too.
func (r *Reconciler) hasApplied(ctx context.Context, owner object.Owner, live *unstructured.Unstructured) (bool, error) {
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(live.GroupVersionKind())
	err := r.spokeReader.Get(ctx, client.ObjectKeyFromObject(live), found)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading who applied %s: %w", object.KeyOf(live), err)
	}
	return object.IsOwnedBy(found.Labels, owner) && slices.ContainsFunc(found.ManagedFields, func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == apply.FieldManager && entry.Operation == metav1.ManagedFieldsOperationApply
	}), nil
}
