package e2e

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	workv1 "open-cluster-management.io/api/work/v1"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// versions of everything that Wheelwright writes for an Application, on the hub and the spokes.
func versions(t *testing.T, app *corev1alpha1.Application) map[string]string {
	t.Helper()
	found := map[string]string{"Application": app.ResourceVersion}
	for _, work := range worksOf(t, app) {
		found["work "+work.Namespace+"/"+work.Name] = fmt.Sprint(work.Generation)
	}
	for name, spokeClient := range shared.spokeClients {
		components := &corev1alpha1.ComponentList{}
		if err := spokeClient.List(t.Context(), components); err != nil {
			t.Fatal(err)
		}
		for i := range components.Items {
			found["component "+name+"/"+components.Items[i].Name] = components.Items[i].ResourceVersion
		}
		trackers := &corev1alpha1.ResourceTrackerList{}
		if err := spokeClient.List(t.Context(), trackers); err != nil {
			t.Fatal(err)
		}
		for i := range trackers.Items {
			found["tracker "+name+"/"+trackers.Items[i].Name] = trackers.Items[i].ResourceVersion
		}
	}
	return found
}

// Both sides are killed and come back. They find everything as it should be and write nothing.
func TestARestartWritesNothing(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop", component("a", typ, web("k", "v")), component("b", typ, web(), "a"))
	awaitReady(t, app)
	before := versions(t, app)
	for _, cluster := range []string{"hub", "dev-eu", "prod-eu"} {
		pods := shared.fleet.Pods(cluster)
		if err := pods.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := pods.AwaitReady(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// A second Application is the fence: the first was looked at before it, or by then at the latest.
	fence := newApplication(t, namespace, "fence", component("a", typ, web("k", "v")))
	awaitReady(t, fence)
	after := versions(t, app)
	for what, version := range before {
		if after[what] != version {
			t.Errorf("%s went from %s to %s", what, version, after[what])
		}
	}
}

// Killed in the middle of a delivery, the hub and the agents finish it.
func TestADeliverySurvivesKills(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop", component("a", typ, web("n", "0")), component("b", typ, web("n", "0"), "a"))
	for n, cluster := range []string{"hub", "dev-eu", "hub", "prod-eu"} {
		edit(t, app, setProperties("b", web("n", fmt.Sprint(n+1))))
		if err := shared.fleet.Pods(cluster).Kill(); err != nil {
			t.Fatal(err)
		}
	}
	awaitReady(t, app)
	for _, spoke := range shared.fleet.Spokes() {
		if got, err := spokeConfig(t.Context(), spoke.Name, namespace, "shop-b", "n"); err != nil || got != "4" {
			t.Errorf("%s ends at %q (%v)", spoke.Name, got, err)
		}
	}
}

// The work agent dies while a change is on its way: the hub does not call it healthy before the agent is back and the
// change has arrived.
func TestADeadWorkAgentIsNeverHealthy(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop", component("a", typ, web("n", "1")), onClusters("dev-eu"))
	awaitReady(t, app)
	shared.fleet.StopWorkAgent("dev-eu")
	edit(t, app, setProperties("a", web("n", "2")))
	eventually(t, func(ctx context.Context) error {
		if err := shared.hubClient.Get(ctx, types.NamespacedName{Namespace: namespace, Name: "shop"}, app); err != nil {
			return err
		}
		if app.Status.ObservedGeneration != app.Generation || app.Status.Counts.Dispatched != 1 {
			return fmt.Errorf("not dispatched: %s", dump(app))
		}
		return nil
	})
	if app.Status.Counts.Healthy != 0 {
		t.Errorf("the hub reads healthy what nobody has applied: %s", dump(app))
	}
	if err := shared.fleet.StartWorkAgent(t.Context(), "dev-eu"); err != nil {
		t.Fatal(err)
	}
	awaitReady(t, app)
}

// A work that somebody deletes by hand comes back.
func TestAWorkDeletedByHandReturns(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop", component("a", typ, web("k", "v")), onClusters("dev-eu"))
	awaitReady(t, app)
	work, err := getWork(t, "dev-eu", namespace, "shop-a")
	if err != nil {
		t.Fatal(err)
	}
	if err := shared.hubClient.Delete(t.Context(), &workv1.ManifestWork{ObjectMeta: metav1.ObjectMeta{Namespace: work.Namespace, Name: work.Name}}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(context.Context) error {
		again, err := getWork(t, "dev-eu", namespace, "shop-a")
		if err != nil {
			return err
		}
		if again.UID == work.UID {
			return fmt.Errorf("it is still the old one")
		}
		return nil
	})
	awaitReady(t, app)
}
