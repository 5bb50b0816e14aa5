package owned

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

func owned(owner, version string) *unstructured.Unstructured {
	made := &unstructured.Unstructured{Object: map[string]any{}}
	made.SetAPIVersion("v1")
	made.SetKind("ConfigMap")
	made.SetNamespace("shop")
	made.SetName("config")
	made.SetResourceVersion(version)
	object.SetOwner(made, object.Owner{Namespace: "shop", Name: owner, UID: types.UID("uid-of-" + owner)}, "config")
	return made
}

func sharedBy(owner, sharer string) *unstructured.Unstructured {
	made := owned(owner, "1")
	text := object.SharersText([]object.Owner{{Namespace: "shop", Name: sharer, UID: "u"}})
	made.SetAnnotations(map[string]string{corev1alpha1.SharedByAnnotation: text})
	return made
}

func TestWaker(t *testing.T) {
	key := object.KeyOf(owned("first", "1"))
	second := types.NamespacedName{Namespace: "shop", Name: "second"}
	first := types.NamespacedName{Namespace: "shop", Name: "first"}
	cases := map[string]struct {
		happens func(*waker)
		want    []string
	}{
		"added":                           {func(w *waker) { w.OnAdd(owned("first", "1"), true) }, []string{"first"}},
		"changed":                         {func(w *waker) { w.OnUpdate(owned("first", "1"), owned("first", "2")) }, []string{"first"}},
		"resynced":                        {func(w *waker) { w.OnUpdate(owned("first", "1"), owned("first", "1")) }, nil},
		"changed hands":                   {func(w *waker) { w.OnUpdate(owned("first", "1"), owned("second", "2")) }, []string{"first", "second"}},
		"deleted":                         {func(w *waker) { w.OnDelete(owned("first", "1")) }, []string{"first"}},
		"deleted unseen":                  {func(w *waker) { w.OnDelete(toolscache.DeletedFinalStateUnknown{Obj: owned("first", "1")}) }, []string{"first"}},
		"shared":                          {func(w *waker) { w.OnAdd(sharedBy("first", "second"), false) }, []string{"first", "second"}},
		"nobody's":                        {func(w *waker) { w.OnAdd(&unstructured.Unstructured{Object: map[string]any{}}, false) }, nil},
		"something else":                  {func(w *waker) { w.OnDelete("what?") }, nil},
		"waited for, changed":             {func(w *waker) { w.await(key, second, first); w.OnUpdate(owned("first", "1"), owned("first", "2")) }, []string{"first", "second"}},
		"waited for, its owner is gone":   {func(w *waker) { w.await(key, second, first); w.forget(first) }, []string{"second"}},
		"who waited is gone":              {func(w *waker) { w.await(key, second, first); w.forget(second); w.OnDelete(owned("first", "1")) }, []string{"first"}},
		"waiting ends with the first one": {func(w *waker) { w.await(key, second, first); w.forget(first); w.OnDelete(owned("first", "1")) }, []string{"second", "first"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
			defer queue.ShutDown()
			w := newWaker()
			w.queue = queue
			tc.happens(w)
			got := map[string]bool{}
			for queue.Len() > 0 {
				request, _ := queue.Get()
				got[request.Name] = true
				queue.Done(request)
			}
			if len(got) != len(tc.want) {
				t.Errorf("woke %v, want %v", got, tc.want)
			}
			for _, name := range tc.want {
				if !got[name] {
					t.Errorf("did not wake %s", name)
				}
			}
		})
	}
}
