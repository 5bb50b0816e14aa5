package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

func TestComponentBecomesHealthy(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", webservice(t), `{"image":"nginx:1.27","replicas":2,"config":{"greeting":"hello"}}`))
	component := s.awaitHealth("web", "r1", true)

	if diff := cmp.Diff(map[string]string{"greeting": "hello"}, s.configData("web-config")); diff != "" {
		t.Errorf("ConfigMap (-want +got):\n%s", diff)
	}
	for _, want := range []struct{ apiVersion, kind, name, output string }{
		{"v1", "ConfigMap", "web-config", "config"}, {"apps/v1", "Deployment", "web", "workload"}, {"v1", "Service", "web", "service"},
	} {
		labels := s.object(want.apiVersion, want.kind, want.name).GetLabels()
		got := []string{labels[corev1alpha1.ComponentUIDLabel], labels[corev1alpha1.ComponentNamespaceLabel], labels[corev1alpha1.ComponentNameLabel], labels[corev1alpha1.OutputLabel]}
		if diff := cmp.Diff([]string{string(component.UID), s.ns, "web", want.output}, got); diff != "" {
			t.Errorf("labels of %s (-want +got):\n%s", want.kind, diff)
		}
	}
	if component.Status.Exports == nil {
		t.Error("a healthy web service exports nothing")
	}
	want := []corev1alpha1.TrackedResource{
		{Version: "v1", Kind: "ConfigMap", Namespace: s.ns, Name: "web-config"},
		{Version: "v1", Kind: "Service", Namespace: s.ns, Name: "web"},
		{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: s.ns, Name: "web"},
	}
	if diff := cmp.Diff(want, s.tracker("web").Spec.Resources); diff != "" {
		t.Errorf("tracker (-want +got):\n%s", diff)
	}
	s.awaitReason("web", condition.Ready, condition.ReasonReady)
}
