package e2e

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

func TestAnApplicationIsDeliveredChangedAndDeleted(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop",
		component("backend", typ, web("level", "info")), component("frontend", typ, web("greeting", "hello"), "backend"))
	awaitReady(t, app)
	if got := app.Status.Counts; got != (corev1alpha1.ApplicationCounts{Clusters: 2, Desired: 4, Dispatched: 4, Healthy: 4}) {
		t.Errorf("counts are %+v", got)
	}

	edit(t, app, setProperties("frontend", web("greeting", "welcome")))
	awaitReady(t, app)
	for _, spoke := range shared.fleet.Spokes() {
		if got, err := spokeConfig(t.Context(), spoke.Name, namespace, "shop-frontend", "greeting"); err != nil || got != "welcome" {
			t.Errorf("%s was read healthy and says %q (%v)", spoke.Name, got, err)
		}
	}
	// That nothing is left is checked for every test, by newNamespace.
}

func TestOneWorkAnObject(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop", component("a", typ, web()), component("b", typ, web()))
	awaitReady(t, app)
	works := worksOf(t, app)
	if len(works) != 4 {
		t.Fatalf("2 components on 2 clusters travel in %d works", len(works))
	}
	for _, work := range works {
		if len(work.Spec.Workload.Manifests) != 1 {
			t.Errorf("work %s/%s carries %d objects", work.Namespace, work.Name, len(work.Spec.Workload.Manifests))
		}
		if values := work.Status.ResourceStatus.Manifests[0].StatusFeedbacks.Values; len(values) != 1 || values[0].Name != dispatch.FeedbackName(dispatch.Revision(&work)) {
			t.Errorf("work %s/%s brings back %+v and not one boolean under its revision's name", work.Namespace, work.Name, values)
		}
	}
}

func TestNamespacesTravelAloneAndAreNeverDeleted(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	first := newApplication(t, namespace, "first", component("a", typ, web()))
	second := newApplication(t, namespace, "second", component("a", typ, web()))
	awaitReady(t, first)
	awaitReady(t, second)
	key := types.NamespacedName{Namespace: "dev-eu", Name: dispatch.WorkName("Namespace", "", namespace)}
	work := &workv1.ManifestWork{}
	if err := shared.hubClient.Get(t.Context(), key, work); err != nil {
		t.Fatal(err)
	}
	if work.Spec.DeleteOption.PropagationPolicy != workv1.DeletePropagationPolicyTypeOrphan {
		t.Errorf("the namespace goes with its work: %+v", work.Spec.DeleteOption)
	}

	remove(t, first)
	if err := shared.hubClient.Get(t.Context(), key, work); err != nil {
		t.Errorf("the namespace's work left with its first user: %v", err)
	}
	remove(t, second)
	eventually(t, func(ctx context.Context) error {
		if err := shared.hubClient.Get(ctx, key, work); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the namespace's work is still there: %v", err)
		}
		return nil
	})
	kept := &corev1.Namespace{}
	if err := shared.spokeClients["dev-eu"].Get(t.Context(), types.NamespacedName{Name: namespace}, kept); err != nil || kept.DeletionTimestamp != nil {
		t.Errorf("the namespace on the spoke was deleted: %v", err)
	}
}

func TestPruningGoesByOwner(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	mine := newApplication(t, namespace, "mine", component("a", typ, web()), component("b", typ, web()))
	other := newApplication(t, namespace, "other", component("b", typ, web()))
	awaitReady(t, mine)
	awaitReady(t, other)
	edit(t, mine, func(app *corev1alpha1.Application) { app.Spec.Components = app.Spec.Components[:1] })
	awaitReady(t, mine)
	eventually(t, func(context.Context) error {
		if works := worksOf(t, mine); len(works) != 2 {
			return fmt.Errorf("%d works are left of the first Application", len(works))
		}
		return nil
	})
	if works := worksOf(t, other); len(works) != 2 {
		t.Errorf("the other Application has %d works", len(works))
	}
}

func TestAClusterThatIsDeselectedIsCleaned(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop", component("a", typ, web("k", "v")), onClusters("dev-eu", "prod-eu"))
	awaitReady(t, app)
	edit(t, app, onClusters("dev-eu"))
	awaitReady(t, app)
	eventually(t, func(ctx context.Context) error {
		if got, err := spokeConfig(ctx, "prod-eu", namespace, "shop-a", "k"); err != nil || got != "" {
			return fmt.Errorf("prod-eu still has it: %q, %v", got, err)
		}
		return nil
	})
	if got, err := spokeConfig(t.Context(), "dev-eu", namespace, "shop-a", "k"); err != nil || got != "v" {
		t.Errorf("dev-eu says %q (%v)", got, err)
	}
}

func TestAnEmptySelectionKeepsEverything(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop", component("a", typ, web("k", "v")))
	awaitReady(t, app)
	edit(t, app, func(app *corev1alpha1.Application) {
		app.Spec.Placement.ClusterSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"region": "mars"}}
	})
	awaitCondition(t, app, condition.Placed, metav1.ConditionFalse, condition.ReasonNoClusters)
	for _, work := range worksOf(t, app) {
		if work.DeletionTimestamp != nil {
			t.Errorf("work %s/%s is being deleted", work.Namespace, work.Name)
		}
	}
	if got := app.Status.Counts.Owed; got != 2 {
		t.Errorf("%d works are owed", got)
	}
	edit(t, app, func(app *corev1alpha1.Application) {
		app.Spec.Placement.ClusterSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"region": "eu"}}
	})
	awaitReady(t, app)
}

func TestTwoApplicationsClaimTheSameObject(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	first := newApplication(t, namespace, "a-b", component("c", typ, web("who", "first")))
	awaitReady(t, first)
	second := newApplication(t, namespace, "a", component("b-c", typ, web("who", "second")))
	found := awaitCondition(t, second, condition.Ready, metav1.ConditionFalse, condition.ReasonClaimed)
	wantMessage(t, found.Message, "Component "+namespace+"/a-b-c", "Application "+namespace+"/a-b")
	if got, err := spokeConfig(t.Context(), "dev-eu", namespace, "a-b-c", "who"); err != nil || got != "first" {
		t.Errorf("the object says %q (%v)", got, err)
	}
	if works := worksOf(t, second); len(works) != 0 {
		t.Errorf("the second has %d works", len(works))
	}
	// When the first goes, the second has its turn.
	remove(t, first)
	awaitReady(t, second)
	if got, err := spokeConfig(t.Context(), "dev-eu", namespace, "a-b-c", "who"); err != nil || got != "second" {
		t.Errorf("the object says %q (%v)", got, err)
	}
}

func TestEqualContentIsNotWritten(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop", component("a", typ, web("k", "v")), component("b", typ, web("k", "v")))
	awaitReady(t, app)
	before := generations(worksOf(t, app))
	// An edit that concerns b alone is the fence: what it makes the hub do is done when b is healthy again.
	edit(t, app, setProperties("b", web("k", "w")))
	awaitReady(t, app)
	after := generations(worksOf(t, app))
	for name, generation := range before {
		changed := after[name] != generation
		if isB := name == "dev-eu/"+dispatch.WorkName("Component", namespace, "shop-b") || name == "prod-eu/"+dispatch.WorkName("Component", namespace, "shop-b"); changed != isB {
			t.Errorf("work %s went from generation %d to %d", name, generation, after[name])
		}
	}
}

func TestADefinitionIsLockedUntilTheSpecChanges(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop", component("a", typ, web("k", "v")))
	awaitReady(t, app)
	before := generations(worksOf(t, app))
	locked := app.Status.DefinitionLocks[0].Hash

	definition := &corev1alpha1.ComponentDefinition{}
	if err := shared.hubClient.Get(t.Context(), types.NamespacedName{Name: typ}, definition); err != nil {
		t.Fatal(err)
	}
	definition.Spec.Files["extra.cue"] = "extra: true\n"
	if err := shared.hubClient.Update(t.Context(), definition); err != nil {
		t.Fatal(err)
	}
	// A second Application of the edited definition is the fence.
	fence := newApplication(t, namespace, "fence", component("a", typ, web()))
	awaitReady(t, fence)
	for name, generation := range generations(worksOf(t, app)) {
		if before[name] != generation {
			t.Errorf("editing the definition rewrote work %s", name)
		}
	}
	edit(t, app, setProperties("a", web("k", "w")))
	awaitReady(t, app)
	if got := app.Status.DefinitionLocks[0].Hash; got == locked || got != fence.Status.DefinitionLocks[0].Hash {
		t.Errorf("after its spec changed the lock is %s, was %s", got, locked)
	}
}

func generations(works []workv1.ManifestWork) map[string]int64 {
	found := map[string]int64{}
	for _, work := range works {
		found[work.Namespace+"/"+work.Name] = work.Generation
	}
	return found
}

// remove deletes an Application and waits until it is gone.
func remove(t *testing.T, app *corev1alpha1.Application) {
	t.Helper()
	if err := shared.hubClient.Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	eventually(t, func(ctx context.Context) error {
		err := shared.hubClient.Get(ctx, client.ObjectKeyFromObject(app), app)
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("Application %s is still there: %v %s", app.Name, err, dump(app))
		}
		return nil
	})
}
