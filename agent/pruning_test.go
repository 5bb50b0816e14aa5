package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestFieldThatIsNotRenderedAnyMoreGoes(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", webservice(t), `{"image":"nginx:1.27","config":{"greeting":"hello","more":"text"}}`))
	s.awaitHealth("web", "r1", true)
	s.patch("v1", "ConfigMap", "web-config", `{"data":{"foreign":"stays"}}`)
	s.dispatch("web", "r2", settled)
	s.awaitHealth("web", "r2", true)
	if diff := cmp.Diff(map[string]string{"greeting": "hello", "foreign": "stays"}, s.configData("web-config")); diff != "" {
		t.Errorf("ConfigMap (-want +got):\n%s", diff)
	}
}

// What kubectl applied on the client's side is taken over with all its fields, and what another manager wrote is not.
func TestObjectThatKubectlAppliedIsPruned(t *testing.T) {
	const last = "kubectl.kubernetes.io/last-applied-configuration"
	cases := map[string]func(s *spoke, config *corev1.ConfigMap){
		"with account of its fields": func(s *spoke, config *corev1.ConfigMap) {
			s.must(s.client.Create(s.t.Context(), config, client.FieldOwner("kubectl-client-side-apply")))
		},
		"without account of its fields": func(s *spoke, config *corev1.ConfigMap) {
			s.create(config)
			s.patch("v1", "ConfigMap", config.Name, `{"metadata":{"managedFields":[{}]}}`)
		},
	}
	for name, apply := range cases {
		t.Run(name, func(t *testing.T) {
			s := newSpoke(t)
			apply(s, &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "web-config", Annotations: map[string]string{last: "{}"}},
				Data:       map[string]string{"greeting": "mine", "old": "goes"},
			})
			s.create(s.component("web", "r1", webservice(t), settled))
			s.awaitHealth("web", "r1", true)
			if diff := cmp.Diff(map[string]string{"greeting": "hello"}, s.configData("web-config")); diff != "" {
				t.Errorf("ConfigMap (-want +got):\n%s", diff)
			}
			if _, ok := s.object("v1", "ConfigMap", "web-config").GetAnnotations()[last]; ok {
				t.Error("kubectl's annotation is left, so that its next apply would compare with what is long gone")
			}
		})
	}
}
