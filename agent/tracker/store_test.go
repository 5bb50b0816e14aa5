package tracker

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// laggingClient reads what it read first, as a cache does that has not caught up, until refreshed.
type laggingClient struct {
	client.WithWatch
	stale  map[client.ObjectKey]*corev1alpha1.ResourceTracker
	writes int
	fail   error
}

func newLaggingClient(t *testing.T) *laggingClient {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	lagging := &laggingClient{}
	lagging.WithWatch = fake.NewClientBuilder().WithScheme(scheme).WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.CreateOption) error {
			lagging.writes++
			return errors.Join(lagging.fail, next.Create(ctx, object, options...))
		},
		Update: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.UpdateOption) error {
			lagging.writes++
			if lagging.fail != nil {
				return lagging.fail
			}
			return next.Update(ctx, object, options...)
		},
		Get: func(ctx context.Context, next client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			if stale, ok := lagging.stale[key]; ok {
				stale.DeepCopyInto(object.(*corev1alpha1.ResourceTracker))
				return nil
			}
			return next.Get(ctx, key, object, options...)
		},
	}).Build()
	return lagging
}

func TestStoreWritesOnlyChanges(t *testing.T) {
	lagging := newLaggingClient(t)
	store := NewStore(lagging)
	wanted := Wanted{Hash: "h1", Resources: []corev1alpha1.TrackedResource{config("a")}}
	first, err := store.Record(t.Context(), owner, nil, wanted)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Record(t.Context(), owner, first, wanted); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Drop(t.Context(), first, []corev1alpha1.TrackedResource{config("z")}); err != nil {
		t.Fatal(err)
	}
	if lagging.writes != 1 {
		t.Errorf("got %d writes, want 1", lagging.writes)
	}
}

func TestStoreReadsItsOwnWrites(t *testing.T) {
	lagging := newLaggingClient(t)
	store := NewStore(lagging)
	first, err := store.Record(t.Context(), owner, nil, Wanted{Hash: "h1", Resources: []corev1alpha1.TrackedResource{config("a")}})
	if err != nil {
		t.Fatal(err)
	}
	lagging.stale = map[client.ObjectKey]*corev1alpha1.ResourceTracker{{Name: "shop.web"}: first.DeepCopy()}
	if _, err := store.Record(t.Context(), owner, first, Wanted{Hash: "h2", Resources: []corev1alpha1.TrackedResource{config("b")}}); err != nil {
		t.Fatal(err)
	}
	got, err := store.Load(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]corev1alpha1.TrackedResource{config("a"), config("b")}, got.Spec.Resources); diff != "" {
		t.Errorf("resources while the cache lags (-want +got):\n%s", diff)
	}
	lagging.stale = nil
	if _, err := store.Load(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	if len(store.written) != 0 {
		t.Error("the write is still remembered after the cache has caught up")
	}
}

func TestStoreForgetsAFailedWrite(t *testing.T) {
	lagging := newLaggingClient(t)
	store := NewStore(lagging)
	first, err := store.Record(t.Context(), owner, nil, Wanted{Hash: "h1", Resources: []corev1alpha1.TrackedResource{config("a")}})
	if err != nil {
		t.Fatal(err)
	}
	lagging.fail = errors.New("no")
	if _, err := store.Record(t.Context(), owner, first, Wanted{Hash: "h2"}); !errors.Is(err, lagging.fail) {
		t.Fatalf("got %v, want the failure", err)
	}
	got, err := store.Load(t.Context(), owner)
	if err != nil || got.Spec.RenderHash != "h1" {
		t.Errorf("got %v, %v, want what the cluster has", got, err)
	}
}

func TestStoreWithoutTracker(t *testing.T) {
	store := NewStore(newLaggingClient(t))
	if got, err := store.Load(t.Context(), owner); got != nil || err != nil {
		t.Errorf("got %v, %v, want nothing", got, err)
	}
	if err := store.Delete(t.Context(), ledger("h1")); err != nil {
		t.Errorf("deleting a tracker that is gone: %v", err)
	}
}
