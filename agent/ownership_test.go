package agent_test

import (
	"strings"
	"testing"

	"wheelwright.dev/wheelwright/shared/condition"
)

// shared renders one ConfigMap whose name its properties choose.
const shared = `
parameters: {target: string, text: string}
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: parameters.target, data: text: parameters.text}}]
`

func TestObjectOfAnotherComponentIsNotTouched(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("first", "r1", inline("shared", shared), `{"target":"common","text":"first"}`))
	s.awaitHealth("first", "r1", true)
	before := s.object("v1", "ConfigMap", "common").GetResourceVersion()

	s.create(s.component("second", "q1", inline("shared", shared), `{"target":"common","text":"second"}`))
	s.awaitHealth("second", "q1", false)
	refused := s.awaitReason("second", condition.Applied, condition.ReasonOwnedByAnother)
	if !strings.Contains(refused.Message, "ConfigMap "+s.ns+"/common") || !strings.Contains(refused.Message, "Component "+s.ns+"/first") {
		t.Errorf("the message names neither the object nor its owner: %s", refused.Message)
	}
	if after := s.object("v1", "ConfigMap", "common").GetResourceVersion(); after != before {
		t.Error("the object of the other Component was written to")
	}

	t.Run("deleting the one that was refused deletes nothing", func(t *testing.T) {
		s.deleteComponent("second")
		if got := s.configData("common")["text"]; got != "first" {
			t.Errorf("the object has text %q, want first", got)
		}
	})
	t.Run("the object is free once its owner is gone", func(t *testing.T) {
		s.create(s.component("second", "q2", inline("shared", shared), `{"target":"common","text":"second"}`))
		s.awaitReason("second", condition.Applied, condition.ReasonOwnedByAnother)
		s.deleteComponent("first")
		s.awaitHealth("second", "q2", true)
		if got := s.configData("common")["text"]; got != "second" {
			t.Errorf("the object has text %q, want second", got)
		}
	})
}

func TestObjectChangesHandsWhenItsOwnerLetsGo(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("first", "r1", inline("shared", shared), `{"target":"common","text":"first"}`))
	s.awaitHealth("first", "r1", true)
	s.create(s.component("second", "q1", inline("shared", shared), `{"target":"common","text":"second"}`))
	s.awaitReason("second", condition.Applied, condition.ReasonOwnedByAnother)
	s.dispatch("first", "r2", `{"target":"own","text":"first"}`)
	s.awaitHealth("first", "r2", true)
	s.awaitHealth("second", "q1", true)
}
