package ocm

import (
	"context"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"wheelwright.dev/wheelwright/dispatch"
)

// hub is a fake hub whose cache can be held back, and whose writes can be made to fail.
type hub struct {
	api        client.WithWatch // what the hub holds
	frozen     *workv1.ManifestWork
	writes     int
	beforeNext func() error // runs before the next write
}

func newHub(t *testing.T) *hub {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(workv1.Install(scheme), clusterv1.Install(scheme)); err != nil {
		t.Fatal(err)
	}
	cluster := &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: "dev-eu"}}
	cluster.Status.Conditions = []metav1.Condition{{Type: clusterv1.ManagedClusterConditionAvailable, Status: metav1.ConditionTrue}}
	return &hub{api: fake.NewClientBuilder().WithScheme(scheme).WithObjects(cluster).
		WithIndex(&workv1.ManifestWork{}, ownerUIDIndex, func(o client.Object) []string { return values(o.GetLabels()[dispatch.OwnerUIDLabel]) }).
		WithIndex(&workv1.ManifestWork{}, namespaceIndex, func(o client.Object) []string { return values(o.GetLabels()[dispatch.NamespaceLabel]) }).
		Build()}
}

func (h *hub) dispatcher() *Dispatcher {
	write := func() error {
		h.writes++
		if before := h.beforeNext; before != nil {
			h.beforeNext = nil
			return before()
		}
		return nil
	}
	cached := interceptor.NewClient(h.api, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			if work, ok := object.(*workv1.ManifestWork); ok && h.frozen != nil {
				h.frozen.DeepCopyInto(work)
				return nil
			}
			return c.Get(ctx, key, object, options...)
		},
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.CreateOption) error {
			if err := write(); err != nil {
				return err
			}
			return c.Create(ctx, object, options...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			if err := write(); err != nil {
				return err
			}
			return c.Patch(ctx, object, patch, options...)
		},
	})
	return New(Options{HubClient: cached, HubReader: h.api, ProgressDeadline: time.Minute})
}

func delivery(t *testing.T, owner types.UID, image string) dispatch.Delivery {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "core.wheelwright.dev/v1alpha1", "kind": "Component",
		"metadata": map[string]any{"namespace": "shop", "name": "shop-web"},
		"spec":     map[string]any{"properties": map[string]any{"image": image}},
	}}
	content, err := dispatch.NewContent(object, schema.GroupVersionResource{Group: "core.wheelwright.dev", Version: "v1alpha1", Resource: "components"})
	if err != nil {
		t.Fatal(err)
	}
	return dispatch.Delivery{Cluster: "dev-eu", Owner: dispatch.Owner{Kind: "Application", Namespace: "shop", Name: string(owner), UID: owner}, Content: content}
}

func (h *hub) work(t *testing.T, d dispatch.Delivery) *workv1.ManifestWork {
	t.Helper()
	work := &workv1.ManifestWork{}
	if err := h.api.Get(t.Context(), types.NamespacedName{Namespace: d.Cluster, Name: d.Content.WorkName()}, work); err != nil {
		t.Fatal(err)
	}
	return work
}

func deliver(t *testing.T, p *Dispatcher, d dispatch.Delivery) {
	t.Helper()
	if err := p.Deliver(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

func TestDeliverWritesOnlyWhatChanged(t *testing.T) {
	h := newHub(t)
	p, a, b := h.dispatcher(), delivery(t, "one", "web:1"), delivery(t, "one", "web:2")
	deliver(t, p, a)
	first := dispatch.Revision(h.work(t, a))
	deliver(t, p, a)
	if h.writes != 1 || dispatch.Revision(h.work(t, a)) != first {
		t.Errorf("equal content was written: %d writes", h.writes)
	}
	deliver(t, p, b)
	second := dispatch.Revision(h.work(t, a))
	deliver(t, p, a)
	third := dispatch.Revision(h.work(t, a))
	if h.writes != 3 || first == second || third == first {
		t.Errorf("A→B→A: %d writes, revisions %s, %s, %s", h.writes, first, second, third)
	}
	if got := h.work(t, a).Labels[dispatch.KindLabel]; got != dispatch.KindObject {
		t.Errorf("kind label is %q", got)
	}
}

// Somebody writes between our read and our write: the precondition fails, and the decision is made anew from a live read.
func TestDeliverMeetsOtherWriters(t *testing.T) {
	cases := map[string]struct {
		prepare func(*testing.T, *hub, dispatch.Delivery)
		between func(*testing.T, *hub, dispatch.Delivery) error
		claimed bool
	}{
		"AgentAddsFinalizer": {
			prepare: func(t *testing.T, h *hub, _ dispatch.Delivery) {
				deliver(t, h.dispatcher(), delivery(t, "one", "web:0"))
			},
			between: func(t *testing.T, h *hub, d dispatch.Delivery) error {
				work := h.work(t, d)
				work.Finalizers = []string{"cluster.open-cluster-management.io/manifest-work-cleanup"}
				return h.api.Update(t.Context(), work)
			},
		},
		"OtherCreatesFirst": {
			prepare: func(*testing.T, *hub, dispatch.Delivery) {},
			between: func(t *testing.T, h *hub, _ dispatch.Delivery) error {
				deliver(t, h.dispatcher(), delivery(t, "two", "web:1"))
				return nil
			},
			claimed: true,
		},
		"OwnCreatedButNotCached": {
			prepare: func(*testing.T, *hub, dispatch.Delivery) {},
			between: func(t *testing.T, h *hub, d dispatch.Delivery) error { deliver(t, h.dispatcher(), d); return nil },
		},
		"DeletedMeanwhile": {
			prepare: func(t *testing.T, h *hub, _ dispatch.Delivery) {
				deliver(t, h.dispatcher(), delivery(t, "one", "web:0"))
			},
			between: func(t *testing.T, h *hub, d dispatch.Delivery) error { return h.api.Delete(t.Context(), h.work(t, d)) },
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h, d := newHub(t), delivery(t, "one", "web:1")
			c.prepare(t, h, d)
			p := h.dispatcher()
			h.beforeNext = func() error { return c.between(t, h, d) }
			err := p.Deliver(t.Context(), d)
			var taken *dispatch.ClaimedError
			if errors.As(err, &taken) != c.claimed || (err != nil && !c.claimed) {
				t.Fatalf("got %v", err)
			}
			work := h.work(t, d)
			if c.claimed {
				if work.Labels[dispatch.OwnerUIDLabel] != "two" || taken.By != "Application shop/two" {
					t.Errorf("the first claim was not kept: %v, %v", work.Labels, taken)
				}
			} else if !d.Content.Is(work.Annotations[dispatch.ContentHashAnnotation]) {
				t.Errorf("the work carries %v", work.Annotations)
			}
		})
	}
}

func TestDeliverGivesUpOnEndlessConflicts(t *testing.T) {
	h, d := newHub(t), delivery(t, "one", "web:1")
	p := h.dispatcher()
	var again func() error
	again = func() error {
		h.beforeNext = again
		return apierrors.NewConflict(schema.GroupResource{Resource: "manifestworks"}, "w", errors.New("busy"))
	}
	h.beforeNext = again
	if err := p.Deliver(t.Context(), d); !apierrors.IsConflict(err) || h.writes != maxAttempts+1 {
		t.Errorf("after %d writes: %v", h.writes, err)
	}
}

// A→B→A while the cache still shows the first A, healthy: it must not be taken for the second A.
func TestReadFromACacheOlderThanOurWrite(t *testing.T) {
	h := newHub(t)
	p, a, b := h.dispatcher(), delivery(t, "one", "web:1"), delivery(t, "one", "web:2")
	deliver(t, p, a)
	work := h.work(t, a)
	yes := true
	work.Status.Conditions = []metav1.Condition{{Type: workv1.WorkApplied, Status: metav1.ConditionTrue, ObservedGeneration: work.Generation}}
	work.Status.ResourceStatus.Manifests = []workv1.ManifestCondition{{
		ResourceMeta: workv1.ManifestResourceMeta{Group: "core.wheelwright.dev", Kind: "Component", Namespace: "shop", Name: "shop-web"},
		Conditions: []metav1.Condition{
			{Type: workv1.ManifestApplied, Status: metav1.ConditionTrue, ObservedGeneration: work.Generation},
			{Type: workv1.ManifestAvailable, Status: metav1.ConditionTrue},
		},
		StatusFeedbacks: workv1.StatusFeedbackResult{Values: []workv1.FeedbackValue{{
			Name: dispatch.FeedbackName(dispatch.Revision(work)), Value: workv1.FieldValue{Type: workv1.Boolean, Boolean: &yes}}}},
	}}
	if err := h.api.Update(t.Context(), work); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Read(t.Context(), a); err != nil || got.State != dispatch.Healthy {
		t.Fatalf("the first A reads %+v, %v", got, err)
	}
	old := h.work(t, a)
	deliver(t, p, b)
	deliver(t, p, a)
	h.frozen = old
	if got, err := p.Read(t.Context(), a); err != nil || got.Reason != dispatch.ReasonStaleCache {
		t.Errorf("from the old cache the second A reads %+v, %v", got, err)
	}
	h.frozen = nil
	if got, err := p.Read(t.Context(), a); err != nil || got.State == dispatch.Healthy || got.Reason == dispatch.ReasonStaleCache {
		t.Errorf("from the caught-up cache the second A reads %+v, %v", got, err)
	}
}

func TestWithdrawDeletesOnlyTheWorkThatWasMeant(t *testing.T) {
	h, d := newHub(t), delivery(t, "one", "web:1")
	p := h.dispatcher()
	deliver(t, p, d)
	works, err := p.Owned(t.Context(), "one")
	if err != nil || len(works) != 1 || works[0].Object != "Component shop/shop-web" || works[0].Namespace != "shop" {
		t.Fatalf("owned: %+v, %v", works, err)
	}
	if none, err := p.Owned(t.Context(), "two"); err != nil || len(none) != 0 {
		t.Fatalf("owned by another: %+v, %v", none, err)
	}
	if err := p.Withdraw(t.Context(), works[0]); err != nil {
		t.Fatal(err)
	}
	if err := p.Withdraw(t.Context(), works[0]); err != nil {
		t.Errorf("withdrawing twice: %v", err)
	}
}

func TestReleaseNamespaceWaitsForItsLastUser(t *testing.T) {
	h, d := newHub(t), delivery(t, "one", "web:1")
	p := h.dispatcher()
	if err := p.EnsureNamespace(t.Context(), "dev-eu", "shop"); err != nil {
		t.Fatal(err)
	}
	deliver(t, p, d)
	exists := func() bool {
		err := h.api.Get(t.Context(), types.NamespacedName{Namespace: "dev-eu", Name: dispatch.WorkName("Namespace", "", "shop")}, &workv1.ManifestWork{})
		return err == nil
	}
	if err := p.ReleaseNamespace(t.Context(), "dev-eu", "shop"); err != nil || !exists() {
		t.Errorf("released while it is needed: %v", err)
	}
	if err := h.api.Delete(t.Context(), h.work(t, d)); err != nil {
		t.Fatal(err)
	}
	if err := p.ReleaseNamespace(t.Context(), "dev-eu", "shop"); err != nil || exists() {
		t.Errorf("not released: %v", err)
	}
	if err := p.EnsureNamespace(t.Context(), "dev-eu", ""); err != nil {
		t.Errorf("a cluster-scoped object needs no namespace: %v", err)
	}
}
