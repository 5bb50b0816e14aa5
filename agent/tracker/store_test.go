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
	wanted := Wanted{Hash: "h1", Resources: listOf(config("a"))}
	first, err := store.Record(t.Context(), owner, nil, wanted)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Record(t.Context(), owner, first, wanted); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Drop(t.Context(), first, listOf(config("z"))); err != nil {
		t.Fatal(err)
	}
	if lagging.writes != 1 {
		t.Errorf("got %d writes, want 1", lagging.writes)
	}
}

func TestStoreReadsItsOwnWrites(t *testing.T) {
	lagging := newLaggingClient(t)
	store := NewStore(lagging)
	first, err := store.Record(t.Context(), owner, nil, Wanted{Hash: "h1", Resources: listOf(config("a"))})
	if err != nil {
		t.Fatal(err)
	}
	lagging.stale = map[client.ObjectKey]*corev1alpha1.ResourceTracker{{Name: "shop.web"}: first.parts[0].stored.DeepCopy()}
	if _, err := store.Record(t.Context(), owner, first, Wanted{Hash: "h2", Resources: listOf(config("b"))}); err != nil {
		t.Fatal(err)
	}
	got, err := store.Load(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(listOf(config("a"), inWave(1, config("b"))), got.Resources); diff != "" {
		t.Errorf("resources while the cache lags (-want +got):\n%s", diff)
	}
	lagging.stale = nil
	if _, err := store.Load(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	if store.written.last["shop.web"].answer != nil {
		t.Error("the object is still remembered after the cache has caught up")
	}
}

func TestStoreForgetsAFailedWrite(t *testing.T) {
	lagging := newLaggingClient(t)
	store := NewStore(lagging)
	first, err := store.Record(t.Context(), owner, nil, Wanted{Hash: "h1", Resources: listOf(config("a"))})
	if err != nil {
		t.Fatal(err)
	}
	lagging.fail = errors.New("no")
	if _, err := store.Record(t.Context(), owner, first, Wanted{Hash: "h2"}); !errors.Is(err, lagging.fail) {
		t.Fatalf("got %v, want the failure", err)
	}
	got, err := store.Load(t.Context(), owner)
	if err != nil || got.RenderHash != "h1" {
		t.Errorf("got %v, %v, want what the cluster has", got, err)
	}
}

func TestStoreWithoutTracker(t *testing.T) {
	store := NewStore(newLaggingClient(t))
	if got, err := store.Load(t.Context(), owner); got != nil || err != nil {
		t.Errorf("got %v, %v, want nothing", got, err)
	}
	recorded, err := store.Record(t.Context(), owner, nil, Wanted{Resources: listOf(config("a"))})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := store.Delete(t.Context(), recorded); err != nil {
			t.Errorf("deleting a tracker, or one that is gone: %v", err)
		}
	}
	if len(store.written.last) != 0 {
		t.Errorf("of a tracker that is gone, %v is remembered", store.written.last)
	}
}

// What the watch shows of the Store's own writes wakes nobody; what others do does.
func TestStoreTellsItsOwnWritesFromOthers(t *testing.T) {
	lagging := newLaggingClient(t)
	store := NewStore(lagging)
	first, err := store.Record(t.Context(), owner, nil, Wanted{Hash: "h1", Resources: listOf(config("a"))})
	if err != nil {
		t.Fatal(err)
	}
	second, err := store.Record(t.Context(), owner, first, Wanted{Hash: "h2", Resources: listOf(config("a"))})
	if err != nil {
		t.Fatal(err)
	}
	for _, own := range []*Ledger{first, second} {
		if store.Seen(own.parts[0].stored) {
			t.Errorf("the write with hash %s is taken for somebody else's", own.RenderHash)
		}
	}
	if store.written.last["shop.web"].answer != nil {
		t.Error("the object is still remembered after the watch has shown it")
	}
	edited := second.parts[0].stored.DeepCopy()
	edited.Spec.Resources = nil
	if err := lagging.WithWatch.Update(t.Context(), edited); err != nil {
		t.Fatal(err)
	}
	if !store.Seen(edited) || !NewStore(lagging).Seen(edited) {
		t.Error("somebody else's edit is taken for the Store's own")
	}
	if err := store.Delete(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if store.SeenGone(edited) || !store.SeenGone(edited) {
		t.Error("a deletion is the Store's own once, and then somebody else's")
	}
}

func TestStoreBelievesItsDeletionBeforeTheCacheDoes(t *testing.T) {
	lagging := newLaggingClient(t)
	store := NewStore(lagging)
	recorded, err := store.Record(t.Context(), owner, nil, Wanted{Resources: listOf(config("a"))})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Delete(t.Context(), recorded); err != nil {
		t.Fatal(err)
	}
	lagging.stale = map[client.ObjectKey]*corev1alpha1.ResourceTracker{{Name: "shop.web"}: recorded.parts[0].stored}
	if got, err := store.Load(t.Context(), owner); got != nil || err != nil {
		t.Errorf("got %v, %v of a tracker that was deleted", got, err)
	}
}
