package agent_test

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// moody is healthy as its live ConfigMap says.
const moody = `
parameters: {mood: *"bad" | string}
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", data: mood: parameters.mood}, statusPaths: [{name: "mood", path: ".data.mood"}]}]
isHealthy: context.status.config.mood == "good"
`

func TestProgressDeadline(t *testing.T) {
	s := newSpoke(t)
	component := s.component("slow", "r1", inline("moody", moody), `{}`)
	component.Spec.ProgressDeadlineSeconds = ptr.To[int32](1)
	s.create(component)
	late := s.awaitReason("slow", condition.Stalled, condition.ReasonProgressDeadlineExceeded)
	if !strings.Contains(late.Message, "within 1s") {
		t.Errorf("Stalled says %q", late.Message)
	}
	s.awaitEvent("slow", condition.ReasonProgressDeadlineExceeded)

	s.edit("slow", func(component *corev1alpha1.Component) {
		component.Spec.Properties.Raw = []byte(`{"mood":"good"}`)
		component.Spec.Revision = "r2"
	})
	s.awaitHealth("slow", "r2", true)
	s.awaitReason("slow", condition.Stalled, condition.ReasonReady)
}

// A Component that was healthy has the whole time again when it ceases to be.
func TestProgressDeadlineAfterHealth(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("slow", "r1", inline("moody", moody), `{"mood":"good"}`))
	s.awaitHealth("slow", "r1", true)
	s.dispatch("slow", "r2", `{"mood":"bad"}`)
	s.awaitHealth("slow", "r2", false)
	s.awaitReason("slow", condition.Progressing, condition.ReasonProgressing)
}

func TestDefinitionOfNobodyStalls(t *testing.T) {
	s := newSpoke(t)
	component := s.component("lost", "", inline("nobody", moody), `{}`)
	component.Spec.Type, component.Spec.DefinitionSnapshot = s.ns+"-nobody", nil
	s.create(component)
	s.awaitReason("lost", condition.Stalled, condition.ReasonDefinitionNotFound)
	s.install("nobody", moody)
	s.awaitReason("lost", condition.Progressing, condition.ReasonProgressing)
}
