package e2e

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// 200 edits follow each other as fast as the API server takes them. Whenever the hub reads Healthy, the spokes must
// already hold what that generation says: a reading from an older revision would be caught with older content.
func TestAHealthyReadingIsNeverOfAnOlderRevision(t *testing.T) {
	const edits = 200
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop", component("a", typ, web("n", "0")))
	awaitReady(t, app)

	witness := watchReadings(t, namespace, app)
	for n := 1; n <= edits; n++ {
		edit(t, app, setProperties("a", web("n", strconv.Itoa(n))))
	}
	awaitReady(t, app)
	looks := witness.end()
	for _, spoke := range shared.fleet.Spokes() {
		if got, err := spokeConfig(t.Context(), spoke.Name, namespace, "shop-a", "n"); err != nil || got != strconv.Itoa(edits) {
			t.Errorf("%s ends at %q (%v), want %d", spoke.Name, got, err, edits)
		}
	}
	if looks.healthy == 0 {
		t.Error("no Healthy reading was seen at all, so nothing was shown")
	}
	t.Logf("%d Healthy readings in %d status events; %d healthy feedback values in %d work events", looks.healthy, looks.events, looks.values, looks.works)
}

// witness looks at the spokes whenever the hub says Healthy: in an Application's status, and in any work whose feedback
// says so of the revision that it carries.
type witness struct {
	t         *testing.T
	namespace string
	done      sync.WaitGroup
	stop      []watch.Interface
	seen      looks
}

type looks struct{ events, healthy, works, values int }

func watchReadings(t *testing.T, namespace string, app *corev1alpha1.Application) *witness {
	t.Helper()
	w := &witness{t: t, namespace: namespace}
	apps, err := shared.hubClient.Watch(t.Context(), &corev1alpha1.ApplicationList{}, client.InNamespace(namespace))
	if err != nil {
		t.Fatal(err)
	}
	works, err := shared.hubClient.Watch(t.Context(), &workv1.ManifestWorkList{}, client.MatchingLabels{dispatch.OwnerUIDLabel: string(app.UID)})
	if err != nil {
		t.Fatal(err)
	}
	w.stop = []watch.Interface{apps, works}
	w.done.Go(func() { w.lookAtApplications(apps) })
	w.done.Go(func() { w.lookAtWorks(works) })
	return w
}

func (w *witness) end() looks {
	for _, s := range w.stop {
		s.Stop()
	}
	w.done.Wait()
	return w.seen
}

func (w *witness) lookAtApplications(events watch.Interface) {
	for event := range events.ResultChan() {
		app, ok := event.Object.(*corev1alpha1.Application)
		if !ok || event.Type == watch.Deleted {
			continue
		}
		w.seen.events++
		ready := meta.FindStatusCondition(app.Status.Conditions, condition.Ready)
		if ready == nil || ready.Status != metav1.ConditionTrue || ready.ObservedGeneration != app.Generation {
			continue
		}
		w.seen.healthy++
		wanted := number(w.t, app.Spec.Components[0].Properties.Raw)
		for _, spoke := range shared.fleet.Spokes() {
			w.check(spoke.Name, wanted, fmt.Sprintf("Application at generation %d", app.Generation))
		}
	}
}

func (w *witness) lookAtWorks(events watch.Interface) {
	for event := range events.ResultChan() {
		work, ok := event.Object.(*workv1.ManifestWork)
		if !ok || event.Type == watch.Deleted {
			continue
		}
		w.seen.works++
		for _, manifest := range work.Status.ResourceStatus.Manifests {
			for _, value := range manifest.StatusFeedbacks.Values {
				if value.Name == dispatch.FeedbackName(dispatch.Revision(work)) && value.Value.Boolean != nil && *value.Value.Boolean {
					w.seen.values++
					w.check(work.Namespace, number(w.t, work.Spec.Workload.Manifests[0].Raw), "work at revision "+dispatch.Revision(work))
				}
			}
		}
	}
}

// check: content only ever grows, so a spoke that holds less than what was called healthy had not got it yet.
func (w *witness) check(cluster string, wanted int, what string) {
	got, err := spokeConfig(w.t.Context(), cluster, w.namespace, "shop-a", "n")
	if err != nil {
		w.t.Errorf("reading %s: %v", cluster, err)
		return
	}
	if have, err := strconv.Atoi(got); err != nil || have < wanted {
		w.t.Errorf("%s was read healthy with content %d, but %s has %q", what, wanted, cluster, got)
	}
}

// The old pods of a Deployment are all ready while its new ones cannot start: the new revision is not healthy, however
// true an expression over readyReplicas is.
func TestTrueMeansLive(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	properties := func(image string) map[string]any {
		return map[string]any{"image": image, "replicas": 2, "config": map[string]any{}}
	}
	app := newApplication(t, namespace, "shop", component("a", typ, properties("web:1")), onClusters("dev-eu"))
	awaitReady(t, app)
	old, err := getWork(t, "dev-eu", namespace, "shop-a")
	if err != nil {
		t.Fatal(err)
	}

	cordon(t, "dev-eu", true)
	t.Cleanup(func() { cordon(t, "dev-eu", false) })
	verdicts := watchVerdicts(t, "dev-eu", namespace, "shop-a")
	edit(t, app, setProperties("a", properties("web:2")))
	key := types.NamespacedName{Namespace: namespace, Name: "shop-a"}
	eventually(t, func(ctx context.Context) error {
		deployment := &appsv1.Deployment{}
		if err := shared.spokeClients["dev-eu"].Get(ctx, key, deployment); err != nil {
			return err
		}
		s := deployment.Status
		if deployment.Spec.Template.Spec.Containers[0].Image != "web:2" || s.ObservedGeneration != deployment.Generation || s.UpdatedReplicas == 0 || s.ReadyReplicas != 2 {
			return fmt.Errorf("the rollout is not stuck yet: %+v", s)
		}
		return nil
	})
	// The hub has heard of the new revision, and what it heard is false.
	eventually(t, func(ctx context.Context) error {
		if err := shared.hubClient.Get(ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return err
		}
		if app.Status.ObservedGeneration != app.Generation || app.Status.Counts.Unhealthy != 1 {
			return fmt.Errorf("the hub has no answer yet: %s", dump(app))
		}
		return nil
	})
	if offender := app.Status.Offenders[0]; offender.Revision == dispatch.Revision(old) {
		t.Errorf("the hub reads the old revision: %+v", offender)
	}
	uncordonedAt := len(verdicts.of(app, old))
	cordon(t, "dev-eu", false)
	awaitReady(t, app)
	for i, healthy := range verdicts.of(app, old) {
		if healthy && i < uncordonedAt {
			t.Errorf("verdict %d on the new revision was true before its pods could start", i)
		}
	}
}

func cordon(t *testing.T, cluster string, unschedulable bool) {
	t.Helper()
	ctx, spokeClient := context.WithoutCancel(t.Context()), shared.spokeClients[cluster]
	nodes := &corev1.NodeList{}
	if err := spokeClient.List(ctx, nodes); err != nil {
		t.Fatal(err)
	}
	for i := range nodes.Items {
		before := nodes.Items[i].DeepCopy()
		nodes.Items[i].Spec.Unschedulable = unschedulable
		if err := spokeClient.Patch(ctx, &nodes.Items[i], client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
}

// verdicts records every status.health that a Component was ever given.
type verdicts struct {
	mu   sync.Mutex
	list []corev1alpha1.RevisionHealth
}

func watchVerdicts(t *testing.T, cluster, namespace, name string) *verdicts {
	t.Helper()
	events, err := shared.spokeClients[cluster].Watch(t.Context(), &corev1alpha1.ComponentList{}, client.InNamespace(namespace))
	if err != nil {
		t.Fatal(err)
	}
	v := &verdicts{}
	var done sync.WaitGroup
	done.Go(func() {
		for event := range events.ResultChan() {
			if c, ok := event.Object.(*corev1alpha1.Component); ok && c.Name == name {
				v.mu.Lock()
				v.list = append(v.list, c.Status.Health...)
				v.mu.Unlock()
			}
		}
	})
	t.Cleanup(func() { events.Stop(); done.Wait() })
	return v
}

// of are the verdicts on every revision but the old work's.
func (v *verdicts) of(_ *corev1alpha1.Application, old *workv1.ManifestWork) []bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	var found []bool
	for _, health := range v.list {
		if health.Revision != dispatch.Revision(old) {
			found = append(found, health.IsHealthy)
		}
	}
	return found
}
