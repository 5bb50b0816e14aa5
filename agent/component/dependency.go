package component

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// awaitDependencies holds back what is new in a standalone Component until the Components that it needs are healthy. What is
// applied already stays and is looked after, whatever becomes of them. For a dispatched Component the hub does this, across
// clusters.
func (r *Reconciler) awaitDependencies(ctx context.Context, run *run) *halt {
	if run.ledger != nil && run.ledger.RenderHash == run.rendering.Hash {
		return nil
	}
	return r.checkDependencies(ctx, run)
}

// checkDependencies waits for the Components that a standalone one needs.
func (r *Reconciler) checkDependencies(ctx context.Context, run *run) *halt {
	if run.component.Spec.Revision != "" {
		return nil
	}
	for _, dependency := range run.component.Spec.DependsOn {
		missing, err := r.missingOf(ctx, run, dependency.Name)
		if err != nil {
			return stop(condition.Applied, condition.ReasonWaitingForDependency, "Its dependencies are not known: %v", err).retrying(err)
		}
		if missing != "" {
			return stop(condition.Applied, condition.ReasonWaitingForDependency, "Waiting for Component %s, which %s", dependency.Name, missing).waiting()
		}
	}
	return nil
}

// missingOf says what a Component lacks to be depended on, or "".
func (r *Reconciler) missingOf(ctx context.Context, run *run, name string) (string, error) {
	upstream, namespace := &corev1alpha1.Component{}, run.component.Namespace
	key := client.ObjectKey{Namespace: namespace, Name: name}
	err := r.spokeClient.Get(ctx, key, upstream)
	run.seen.see(componentKind, key, upstream.ResourceVersion)
	switch {
	case apierrors.IsNotFound(err):
		return "is not in namespace " + namespace, nil
	case err != nil:
		return "", fmt.Errorf("reading Component %s/%s, which is depended on: %w", namespace, name, err)
	case !upstream.DeletionTimestamp.IsZero():
		return "is being deleted", nil
	case upstream.Status.ObservedGeneration != upstream.Generation:
		return "is being processed", nil
	case upstream.Status.IsHealthy == nil || !*upstream.Status.IsHealthy:
		return "is not healthy", nil
	}
	return "", nil
}
