package events

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"wheelwright.dev/wheelwright/cli/live"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func event(namespace, name, kind string, uid types.UID, since time.Duration) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name)},
		InvolvedObject: corev1.ObjectReference{Kind: kind, Namespace: namespace, Name: "web", UID: uid},
		Type:           "Normal", Reason: "Done", Message: "all\nof it", Count: 3, LastTimestamp: metav1.NewTime(noon.Add(-since)),
	}
}

// sample is a Component with a pod, and a ConfigMap in another namespace that is gone.
func sample() *live.Node {
	return &live.Node{Kind: "Component", Namespace: "shop", Name: "web", UID: "c", Below: []*live.Node{
		{APIVersion: "v1", Kind: "Pod", Namespace: "shop", Name: "web", UID: "p"},
		{APIVersion: "v1", Kind: "ConfigMap", Namespace: "edge", Name: "web", Health: live.Missing},
	}}
}

func newClient(t *testing.T, functions interceptor.Funcs, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, metav1.AddMetaToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithInterceptorFuncs(functions).WithObjects(objects...).Build()
}

func TestEventsOfTheTreeAreListedOldestFirst(t *testing.T) {
	series := event("shop", "series", "Pod", "p", 0)
	series.LastTimestamp = metav1.Time{}
	series.Series = &corev1.EventSeries{Count: 7, LastObservedTime: metav1.NewMicroTime(noon.Add(-time.Minute))}
	reader := newClient(t, interceptor.Funcs{},
		event("shop", "late", "Component", "c", 5*time.Second), series, event("edge", "gone", "ConfigMap", "x", time.Hour),
		event("shop", "other", "Pod", "q", 0), event("else", "same", "Pod", "p2", 0))
	entries, err := List(t.Context(), reader, sample())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Print(&out, entries, noon); err != nil {
		t.Fatal(err)
	}
	want := `AGE   COUNT   TYPE     OBJECT               REASON   MESSAGE
60m   3       Normal   ConfigMap edge/web   Done     all of it
60s   7       Normal   Pod shop/web         Done     all of it
5s    3       Normal   Component shop/web   Done     all of it
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestANamespaceThatMayNotBeReadHidesNoOther(t *testing.T) {
	refused := errors.New("no")
	reader := newClient(t, interceptor.Funcs{
		List: func(ctx context.Context, next client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			given := client.ListOptions{}
			if given.ApplyOptions(options); given.Namespace == "edge" {
				return refused
			}
			return next.List(ctx, list, options...)
		},
	}, event("shop", "late", "Component", "c", 0))
	if entries, err := List(t.Context(), reader, sample()); !errors.Is(err, refused) || len(entries) != 1 {
		t.Errorf("got %v, %v", entries, err)
	}
}

// A server ends every watch sooner or later, well or because it has forgotten where the watch began.
func TestFollowingGoesOnWhenAWatchEnds(t *testing.T) {
	watches := make(chan *watch.FakeWatcher, 3)
	watcher := newClient(t, interceptor.Funcs{
		Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
			made := watch.NewFake()
			watches <- made
			return made, nil
		},
	}, event("shop", "first", "Component", "c", time.Minute))
	ctx, stop := context.WithCancel(t.Context())
	shown, ended := make(chan Entry), make(chan error, 1)
	tree := sample()
	tree.Below = nil
	go func() {
		ended <- Follow(ctx, watcher, tree, func(entry Entry) error { shown <- entry; return nil })
	}()
	expect := func(reason string) {
		t.Helper()
		select {
		case entry := <-shown:
			if entry.Reason != reason {
				t.Fatalf("got %v, want %s", entry, reason)
			}
		case err := <-ended:
			t.Fatalf("it ended: %v", err)
		}
	}
	expect("Done")
	(<-watches).Error(&apierrors.NewResourceExpired("too old").ErrStatus)
	second := <-watches // what was listed again is not shown again
	next := event("shop", "second", "Component", "c", 0)
	next.Reason, next.ResourceVersion = "Next", "1000"
	second.Add(next)
	expect("Next")
	second.Stop()
	third := <-watches
	again := next.DeepCopy()
	again.Reason, again.ResourceVersion = "Again", "1001"
	third.Modify(again)
	expect("Again")
	stop()
	third.Stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
