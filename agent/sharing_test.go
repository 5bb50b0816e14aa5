package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

func sharedAs(text string) string {
	return policedAs("common", text, corev1alpha1.OwnershipAnnotation, corev1alpha1.OwnershipShared)
}

// wantShared waits until the object belongs to owner, has its text, and is shared by the others.
func (s *spoke) wantShared(owner string, sharers ...string) {
	s.t.Helper()
	want := make([]object.Owner, 0, len(sharers))
	for _, name := range sharers {
		want = append(want, object.OwnerFor(s.get(name)))
	}
	s.eventually("the object is "+owner+"'s", func() string {
		live := s.object("v1", "ConfigMap", "common")
		if live == nil {
			return "it is not there"
		}
		got, _ := object.OwnerOf(live.GetLabels())
		return cmp.Diff(object.OwnerFor(s.get(owner)), got) + cmp.Diff(owner, s.configData("common")["text"]) +
			cmp.Diff(object.SharersText(want), live.GetAnnotations()[corev1alpha1.SharedByAnnotation])
	})
}

func TestSharedObjectPassesOnAndGoesWithTheLast(t *testing.T) {
	s := newSpoke(t)
	for _, name := range []string{"first", "second", "third"} {
		s.create(s.component(name, "r1", policedDefinition(), sharedAs(name)))
		s.awaitHealth(name, "r1", true)
	}
	s.wantShared("first", "second", "third")

	t.Log("a new rendering of one that only shares changes nothing, one of the owner does, and drift is corrected")
	s.dispatch("second", "r2", sharedAs("second"))
	s.awaitHealth("second", "r2", true)
	s.patch("v1", "ConfigMap", "common", `{"data":{"text":"drifted"}}`)
	s.wantShared("first", "second", "third")

	t.Log("one that does not say so is refused")
	s.create(s.component("fourth", "r1", policedDefinition(), policedAs("common", "fourth")))
	refused := s.awaitReason("fourth", condition.Applied, condition.ReasonOwnedByAnother)
	if !strings.Contains(refused.Message, "Component "+s.ns+"/first") {
		t.Errorf("the message does not name the owner: %s", refused.Message)
	}
	s.deleteComponent("fourth")

	t.Log("nothing is written after a restart")
	s.awaitQuiet("first")
	s.calls.take()
	s.restartAgent()
	for _, name := range []string{"first", "second", "third"} {
		s.dispatch(name, "r3", sharedAs(name))
		s.awaitHealth(name, "r3", true)
		s.awaitQuiet(name)
	}
	if writes := configWrites(s.calls.take(), "common"); len(writes) != 0 {
		t.Errorf("the object was written to: %v", writes)
	}

	t.Log("it passes on when its owner does not render it any more, and when its owner is deleted")
	before := s.object("v1", "ConfigMap", "common").GetUID()
	s.dispatch("first", "r4", withoutOutputs)
	s.wantShared("second", "third")
	s.awaitHealth("first", "r4", true)
	s.awaitHealth("second", "r3", true)
	s.deleteComponent("second")
	s.wantShared("third")
	if now := s.object("v1", "ConfigMap", "common").GetUID(); now != before {
		t.Error("the object was deleted and made again")
	}
	s.deleteComponent("third")
	if s.configData("common") != nil {
		t.Error("the object is left behind")
	}
}

func TestOneThatSharesLeaves(t *testing.T) {
	s := newSpoke(t)
	for _, name := range []string{"first", "second"} {
		s.create(s.component(name, "r1", policedDefinition(), sharedAs(name)))
		s.awaitHealth(name, "r1", true)
	}
	s.wantShared("first", "second")
	s.deleteComponent("second")
	s.wantShared("first")
}

func TestManyThatShareAtOnceComeToOneOwner(t *testing.T) {
	s := newSpoke(t)
	names := []string{"a", "b", "c", "d", "e", "f"}
	for _, name := range names {
		s.create(s.component(name, "r1", policedDefinition(), sharedAs(name)))
	}
	for _, name := range names {
		s.awaitHealth(name, "r1", true)
	}
	s.eventually("one owns it and the others share it", func() string {
		live := s.object("v1", "ConfigMap", "common")
		owner, _ := object.OwnerOf(live.GetLabels())
		sharers := 0
		for _, one := range object.Sharers(live.GetAnnotations()) {
			if one != owner {
				sharers++
			}
		}
		return cmp.Diff(len(names)-1, sharers) + cmp.Diff(owner.Name, s.configData("common")["text"])
	})
	for _, name := range names {
		s.deleteComponent(name)
	}
	if s.configData("common") != nil {
		t.Error("the object is left behind")
	}
}

// follower is healthy as long as the object that it shares says so.
const follower = `
outputs: [{
	name: "config", statusPaths: [{name: "text", path: ".data.text"}]
	value: {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "common", annotations: "component.oam.dev/ownership": "shared"}, data: text: "follower"}
}]
isHealthy: context.status.config.text == "go"
`

func TestOneThatSharesSeesWhatIsLive(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("first", "r1", policedDefinition(), sharedAs("wait")))
	s.awaitHealth("first", "r1", true)
	s.create(s.component("second", "q1", inline("follower", follower), `{}`))
	s.awaitReason("second", condition.Healthy, condition.ReasonUnhealthy)
	s.dispatch("first", "r2", sharedAs("go"))
	s.awaitHealth("second", "q1", true)
}
