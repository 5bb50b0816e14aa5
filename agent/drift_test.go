package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

func TestObjectDeletedByHandReturns(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", webservice(t), settled))
	s.awaitHealth("web", "r1", true)
	for _, one := range []struct{ apiVersion, kind, name string }{
		{"v1", "ConfigMap", "web-config"}, {"v1", "Service", "web"}, {"apps/v1", "Deployment", "web"},
	} {
		before := s.object(one.apiVersion, one.kind, one.name)
		s.must(s.client.Delete(t.Context(), before))
		s.eventually(one.kind+" is back", func() string {
			if now := s.object(one.apiVersion, one.kind, one.name); now == nil || now.GetUID() == before.GetUID() {
				return "it is not there"
			}
			return ""
		})
	}
	s.awaitHealth("web", "r1", true)
	if diff := cmp.Diff(map[string]string{"greeting": "hello"}, s.configData("web-config")); diff != "" {
		t.Errorf("ConfigMap (-want +got):\n%s", diff)
	}
}

func TestDriftIsCorrected(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", webservice(t), settled))
	s.awaitHealth("web", "r1", true)

	t.Run("data without a generation", func(t *testing.T) {
		s.patch("v1", "ConfigMap", "web-config", `{"data":{"greeting":"drifted","foreign":"stays"}}`)
		s.eventually("the data is back", func() string {
			// Server-side apply owns the fields that are rendered; a field that only somebody else wrote is theirs.
			return cmp.Diff(map[string]string{"greeting": "hello", "foreign": "stays"}, s.configData("web-config"))
		})
	})
	t.Run("spec with a generation", func(t *testing.T) {
		s.patch("apps/v1", "Deployment", "web", `{"spec":{"replicas":5}}`)
		s.eventually("the replicas are back", func() string {
			return cmp.Diff(int64(1), s.object("apps/v1", "Deployment", "web").Object["spec"].(map[string]any)["replicas"])
		})
	})
	t.Run("the owner's label", func(t *testing.T) {
		uid := string(s.get("web").UID)
		s.patch("apps/v1", "Deployment", "web", `{"metadata":{"labels":{"`+corev1alpha1.ComponentUIDLabel+`":null}}}`)
		s.eventually("the label is back", func() string {
			return cmp.Diff(uid, s.object("apps/v1", "Deployment", "web").GetLabels()[corev1alpha1.ComponentUIDLabel])
		})
	})
	t.Run("a label that is rendered", func(t *testing.T) {
		s.patch("apps/v1", "Deployment", "web", `{"metadata":{"labels":{"app.kubernetes.io/name":"drifted"}}}`)
		s.eventually("the label is back", func() string {
			return cmp.Diff("web", s.object("apps/v1", "Deployment", "web").GetLabels()["app.kubernetes.io/name"])
		})
	})
	s.awaitHealth("web", "r1", true)
}

func TestObjectOfNobodyIsTakenOver(t *testing.T) {
	s := newSpoke(t)
	s.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "web-config"}, Data: map[string]string{"greeting": "mine"}})
	s.create(s.component("web", "r1", webservice(t), settled))
	s.awaitHealth("web", "r1", true)
	if diff := cmp.Diff(map[string]string{"greeting": "hello"}, s.configData("web-config")); diff != "" {
		t.Errorf("ConfigMap (-want +got):\n%s", diff)
	}
}

func TestTrackerDeletedByHandIsRecordedAnew(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", webservice(t), settled))
	s.awaitHealth("web", "r1", true)
	before := s.tracker("web")
	s.must(s.client.Delete(t.Context(), before))
	s.eventually("the tracker is back", func() string {
		ledger := &corev1alpha1.ResourceTrackerList{}
		s.must(s.client.List(t.Context(), ledger))
		for _, one := range ledger.Items {
			if one.Name == before.Name && one.UID != before.UID {
				return cmp.Diff(before.Spec, one.Spec)
			}
		}
		return "it is not there"
	})
}

// Kinds whose generation does not count their changes.
func TestDriftOfAPriorityClass(t *testing.T) {
	s := newSpoke(t)
	source := `
outputs: [{name: "class", value: {apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: name: "NAME", value: 7, description: "rendered"}}]
isHealthy: true
`
	s.create(s.component("app", "r1", inline("class", strings.ReplaceAll(source, "NAME", s.ns)), `{}`))
	s.awaitHealth("app", "r1", true)
	class := &unstructured.Unstructured{}
	class.SetGroupVersionKind(schema.GroupVersionKind{Group: "scheduling.k8s.io", Version: "v1", Kind: "PriorityClass"})
	class.SetName(s.ns)
	s.must(s.client.Patch(t.Context(), class, client.RawPatch(types.MergePatchType, []byte(`{"description":"drifted"}`)), client.FieldOwner("x")))
	s.eventually("the drift is corrected", func() string {
		s.must(s.client.Get(t.Context(), client.ObjectKey{Name: s.ns}, class))
		if class.Object["description"] != "rendered" {
			return pretty(class.Object)
		}
		return ""
	})
}
