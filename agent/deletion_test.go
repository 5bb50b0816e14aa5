package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// deleteComponent deletes a Component and waits until it is gone.
func (s *spoke) deleteComponent(name string) {
	s.t.Helper()
	s.must(s.client.Delete(s.t.Context(), s.get(name)))
	s.awaitGone(name)
}

func (s *spoke) awaitGone(name string) {
	s.t.Helper()
	s.eventually("Component "+name+" is gone", func() string {
		component := &corev1alpha1.Component{}
		err := s.client.Get(context.Background(), client.ObjectKey{Namespace: s.ns, Name: name}, component)
		if apierrors.IsNotFound(err) {
			return ""
		}
		s.must(err)
		return pretty(component.Status)
	})
}

func TestDeletionGoesInReverseOrder(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", webservice(t), settled))
	s.awaitHealth("web", "r1", true)
	s.calls.take()
	s.deleteComponent("web")

	var deleted []string
	for _, call := range s.calls.take() {
		if method, path, _ := strings.Cut(call, " "); method == "DELETE" {
			parts := strings.Split(path, "/")
			deleted = append(deleted, parts[len(parts)-2])
		}
	}
	if want := []string{"deployments", "services", "configmaps", "resourcetrackers"}; !slices.Equal(want, deleted) {
		t.Errorf("deleted %v, want %v", deleted, want)
	}
	for _, kind := range []string{"Deployment", "Service"} {
		apiVersion := map[string]string{"Deployment": "apps/v1", "Service": "v1"}[kind]
		if s.object(apiVersion, kind, "web") != nil {
			t.Errorf("%s is left", kind)
		}
	}
}

func TestDeletionWaitsUntilObjectsAreReallyGone(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r1", configDefinition(), `{"names":["a"],"hold":true}`))
	s.awaitHealth("app", "r1", true)
	s.must(s.client.Delete(t.Context(), s.get("app")))
	waiting := s.awaitReason("app", condition.Ready, condition.ReasonDeleting)
	s.eventually("the message names what is left", func() string {
		waiting = s.awaitReason("app", condition.Ready, condition.ReasonDeleting)
		if strings.Contains(waiting.Message, "app-a") && strings.Contains(waiting.Message, "example.com/hold") {
			return ""
		}
		return waiting.Message
	})
	component := s.get("app")
	if component.Status.Health != nil || component.Status.IsHealthy != nil {
		t.Errorf("a Component that is being deleted speaks of health: %s", pretty(component.Status))
	}
	s.tracker("app") // is still there
	s.patch("v1", "ConfigMap", "app-a", `{"metadata":{"finalizers":null}}`)
	s.awaitGone("app")
}

// The tracker suffices: neither a definition nor properties that fit it are needed.
func TestBrokenDefinitionDoesNotBlockDeletion(t *testing.T) {
	s := newSpoke(t)
	def := &corev1alpha1.ComponentDefinition{ObjectMeta: metav1.ObjectMeta{Name: s.ns + "-configs"}}
	def.Spec.Files = map[string]string{"template.cue": configs}
	s.create(def)
	component := s.component("app", "", configDefinition(), `{"names":["a"]}`)
	component.Spec.Type, component.Spec.DefinitionSnapshot = def.Name, nil
	s.create(component)
	s.awaitReason("app", condition.Ready, condition.ReasonReady)

	s.patchDefinition(def, "outputs: [")
	s.awaitReason("app", condition.Rendered, condition.ReasonDefinitionInvalid)
	s.must(s.client.Delete(t.Context(), def))
	s.awaitReason("app", condition.Rendered, condition.ReasonDefinitionNotFound)
	if s.configData("app-a") == nil {
		t.Error("what ran before is gone")
	}
	s.deleteComponent("app")
	if s.configData("app-a") != nil {
		t.Error("the object is left behind")
	}
}

func TestDeletionOfTheNamespaceDoesNotHang(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", webservice(t), settled))
	s.awaitHealth("web", "r1", true)
	s.must(s.client.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.ns}}))
	s.awaitGone("web")
	s.eventually("the namespace is gone", func() string {
		namespace := &corev1.Namespace{}
		err := s.client.Get(t.Context(), client.ObjectKey{Name: s.ns}, namespace)
		if apierrors.IsNotFound(err) {
			return ""
		}
		s.must(err)
		return pretty(namespace.Status)
	})
}

func (s *spoke) patchDefinition(def *corev1alpha1.ComponentDefinition, template string) {
	s.t.Helper()
	before := def.DeepCopy()
	def.Spec.Files["template.cue"] = template
	s.must(s.client.Patch(s.t.Context(), def, client.MergeFrom(before)))
}
