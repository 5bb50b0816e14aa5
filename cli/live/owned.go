package live

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/agent/tracker"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// ownedObjects are those that the Component's tracker names. A Component that has made nothing yet has no tracker.
func ownedObjects(ctx context.Context, reader client.Reader, component *corev1alpha1.Component) ([]corev1alpha1.TrackedResource, error) {
	ledger, err := tracker.Read(ctx, reader, object.OwnerFor(component))
	if ledger == nil || err != nil {
		return nil, err
	}
	return ledger.Resources, ledger.Damage()
}
