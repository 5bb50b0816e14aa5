package e2e

import (
	"context"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// replicated are properties whose pods must start before the component is healthy.
func replicated(image string) map[string]any {
	return map[string]any{"image": image, "replicas": 1, "config": map[string]any{"image": image}}
}

// awaitWaiting waits until the hub says that a component waits for an upstream.
func awaitWaiting(t *testing.T, app *corev1alpha1.Application, component string) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		if err := shared.hubClient.Get(ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return err
		}
		for _, o := range app.Status.Offenders {
			if app.Status.ObservedGeneration == app.Generation && o.Component == component && o.Reason == condition.ReasonWaitingForDependency {
				return nil
			}
		}
		return fmt.Errorf("%s does not wait: %s", component, dump(app))
	})
}

// awaitUnhealthy waits until the hub has heard that a component is not healthy.
func awaitUnhealthy(t *testing.T, app *corev1alpha1.Application) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		if err := shared.hubClient.Get(ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return err
		}
		if app.Status.ObservedGeneration != app.Generation || app.Status.Counts.Unhealthy != 1 {
			return fmt.Errorf("nothing is unhealthy: %s", dump(app))
		}
		return nil
	})
}

func TestADependentIsNotDispatchedBeforeItsUpstreamIsHealthy(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	cordon(t, "dev-eu", true)
	t.Cleanup(func() { cordon(t, "dev-eu", false) })
	app := newApplication(t, namespace, "shop", onClusters("dev-eu", "prod-eu"),
		component("front", typ, web(), "back"), component("back", typ, replicated("back:1")))
	awaitUnhealthy(t, app)
	awaitWaiting(t, app, "front")
	if work, err := getWork(t, "dev-eu", namespace, "shop-front"); !apierrors.IsNotFound(err) {
		t.Errorf("front has a work on dev-eu, where back is not healthy: %v %v", work.Name, err)
	}
	// The other cluster does not wait for this one.
	eventually(t, func(context.Context) error {
		_, err := getWork(t, "prod-eu", namespace, "shop-front")
		return err
	})
	cordon(t, "dev-eu", false)
	awaitReady(t, app)
}

func TestADispatchedDependentStaysAndItsUpdateWaits(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop", onClusters("dev-eu"),
		component("back", typ, replicated("back:1")), component("front", typ, web("k", "old"), "back"))
	awaitReady(t, app)
	cordon(t, "dev-eu", true)
	t.Cleanup(func() { cordon(t, "dev-eu", false) })
	edit(t, app, func(app *corev1alpha1.Application) {
		setProperties("back", replicated("back:2"))(app)
		setProperties("front", web("k", "new"))(app)
	})
	awaitUnhealthy(t, app)
	awaitWaiting(t, app, "front")
	if got, err := spokeConfig(t.Context(), "dev-eu", namespace, "shop-front", "k"); err != nil || got != "old" {
		t.Errorf("front says %q (%v) while its upstream is not healthy", got, err)
	}
	cordon(t, "dev-eu", false)
	awaitReady(t, app)
	if got, err := spokeConfig(t.Context(), "dev-eu", namespace, "shop-front", "k"); err != nil || got != "new" {
		t.Errorf("front says %q (%v)", got, err)
	}
}
