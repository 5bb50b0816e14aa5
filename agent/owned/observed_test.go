package owned

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"wheelwright.dev/wheelwright/agent/object"
)

var (
	settings = reference{kind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), key: object.Key{Kind: "ConfigMap", Namespace: "shop", Name: "settings"}}
	first    = types.NamespacedName{Namespace: "shop", Name: "first"}
	second   = types.NamespacedName{Namespace: "shop", Name: "second"}
)

// newTestObserved watches a cluster that has nothing, and collects whom it wakes.
func newTestObserved(t *testing.T) (*observed, dynamic.ResourceInterface) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(settings.kind, meta.RESTScopeNamespace)
	client := dynamicfake.NewSimpleDynamicClient(scheme)
	wake := newWaker()
	wake.queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	t.Cleanup(wake.queue.ShutDown)
	made := newObserved(client, mapper, wake)
	t.Cleanup(made.close)
	return made, client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace("shop")
}

func config(version string) *unstructured.Unstructured {
	made := owned("nobody", version)
	made.SetName("settings")
	made.SetLabels(nil)
	return made
}

// woken is the next Component that is woken. It waits for one.
func (o *observed) woken(t *testing.T) types.NamespacedName {
	t.Helper()
	request, _ := o.wake.queue.Get()
	o.wake.queue.Done(request)
	return request.NamespacedName
}

func TestObservedObjectWakesThoseWhoReadIt(t *testing.T) {
	watch, configs := newTestObserved(t)
	if live, err := watch.get(t.Context(), first, settings); live != nil || err != nil {
		t.Fatalf("got %v, %v, want nothing", live, err)
	}
	if _, err := configs.Create(t.Context(), config("1"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := watch.woken(t); got != first {
		t.Errorf("woke %s, want %s", got, first)
	}
	live, err := watch.get(t.Context(), second, settings)
	if err != nil || live == nil || live.GetName() != "settings" {
		t.Fatalf("got %v, %v, want the object", live, err)
	}
	if len(watch.watches) != 1 {
		t.Errorf("one object is watched by %d watches", len(watch.watches))
	}

	watch.only(first, nil)
	if err := configs.Delete(t.Context(), "settings", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := watch.woken(t); got != second {
		t.Errorf("woke %s, which does not read it any more", got)
	}
	if live, err := watch.get(t.Context(), second, settings); live != nil || err != nil {
		t.Errorf("got %v, %v of an object that is gone", live, err)
	}
}

func TestObservationEndsWithItsLastReader(t *testing.T) {
	watch, _ := newTestObserved(t)
	for _, component := range []types.NamespacedName{first, second} {
		if _, err := watch.get(t.Context(), component, settings); err != nil {
			t.Fatal(err)
		}
	}
	started := watch.watches[settings]
	watch.only(first, []reference{settings})
	watch.only(second, nil)
	if watch.watches[settings] != started {
		t.Fatal("the watch ended while it is used")
	}
	watch.only(first, nil)
	if len(watch.watches) != 0 {
		t.Error("the watch is kept though nobody uses it")
	}
	watch.running.Wait() // it comes back only when the watch has really ended
	watch.close()
	if _, err := watch.get(t.Context(), first, settings); err == nil {
		t.Error("a watch was started after the end")
	}
}
