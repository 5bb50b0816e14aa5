package agent_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// toggled is healthy when its properties say so.
const toggled = `
parameters: {healthy: bool, text: *"" | string}
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name, data: text: parameters.text}}]
isHealthy: parameters.healthy
`

func TestStandaloneComponentWaitsForItsDependency(t *testing.T) {
	s := newSpoke(t)
	app := s.component("app", "", inline("toggled", toggled), `{"healthy":true,"text":"one"}`)
	app.Spec.DependsOn = []corev1alpha1.Dependency{{Name: "db"}}
	s.create(app)
	waiting := s.awaitReason("app", condition.Applied, condition.ReasonWaitingForDependency)
	if !strings.Contains(waiting.Message, "Component db") {
		t.Errorf("the message does not name the dependency: %s", waiting.Message)
	}
	s.create(s.component("db", "", inline("toggled", toggled), `{"healthy":false}`))
	s.awaitReason("db", condition.Healthy, condition.ReasonUnhealthy)
	if s.configData("app") != nil {
		t.Error("app was applied before db was healthy")
	}
	s.setProperties("db", `{"healthy":true}`)
	s.awaitReason("app", condition.Ready, condition.ReasonReady)

	t.Run("what is applied stays when the dependency degrades, and what is new waits", func(t *testing.T) {
		s.setProperties("db", `{"healthy":false}`)
		s.awaitReason("db", condition.Healthy, condition.ReasonUnhealthy)
		s.awaitReason("app", condition.Ready, condition.ReasonReady)
		s.setProperties("app", `{"healthy":true,"text":"two"}`)
		s.awaitReason("app", condition.Applied, condition.ReasonWaitingForDependency)
		if got := s.configData("app")["text"]; got != "one" {
			t.Errorf("app has text %q, want one", got)
		}
		s.setProperties("db", `{"healthy":true}`)
		s.awaitReason("app", condition.Ready, condition.ReasonReady)
		if got := s.configData("app")["text"]; got != "two" {
			t.Errorf("app has text %q, want two", got)
		}
	})
}

func TestDispatchedComponentDoesNotWait(t *testing.T) {
	s := newSpoke(t)
	app := s.component("app", "r1", inline("toggled", toggled), `{"healthy":true}`)
	app.Spec.DependsOn = []corev1alpha1.Dependency{{Name: "elsewhere"}}
	s.create(app)
	s.awaitHealth("app", "r1", true)
}

func (s *spoke) setProperties(name, properties string) {
	s.t.Helper()
	s.edit(name, func(component *corev1alpha1.Component) {
		component.Spec.Properties = &runtime.RawExtension{Raw: []byte(properties)}
	})
}
