package agent_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// gated is a component that is healthy when its ConfigMap says so.
const gated = `
parameters: {text: string, up: *true | bool}
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name + "-config", data: {text: parameters.text}}}]
isHealthy: parameters.up
`

const (
	shout   = "import \"strings\"\nphase: \"pre\"\npatch: properties: text: strings.ToUpper(context.parameters.text)"
	stamp   = "parameters: value: string\npatch: outputs: [{name: \"config\", value: data: stamp: parameters.value}]"
	epitaph = "outputs: [{name: \"after\", value: {apiVersion: \"v1\", kind: \"ConfigMap\", metadata: name: context.name + \"-after\", data: text: context.outputs.config.data.text}}]"
)

func (s *spoke) trait(name string, phase string, source string) *corev1alpha1.TraitDefinition {
	def := &corev1alpha1.TraitDefinition{ObjectMeta: metav1.ObjectMeta{Name: s.ns + "-" + name}}
	def.Spec.Phase = phase
	def.Spec.Files = map[string]string{"template.cue": source}
	return def
}

func traits(of ...corev1alpha1.ComponentTrait) []corev1alpha1.ComponentTrait { return of }

func TestTraitsOfAStandaloneComponent(t *testing.T) {
	s := newSpoke(t)
	def := &corev1alpha1.ComponentDefinition{ObjectMeta: metav1.ObjectMeta{Name: s.ns + "-gated"}}
	def.Spec.Files = map[string]string{"template.cue": gated}
	s.create(def)
	pre, during, post := s.trait("shout", "", shout), s.trait("stamp", "default", stamp), s.trait("after", "post", epitaph)
	for _, one := range []*corev1alpha1.TraitDefinition{pre, during, post} {
		s.create(one)
	}
	component := s.component("app", "", configDefinition(), `{"text":"hello"}`)
	component.Spec.Type, component.Spec.DefinitionSnapshot = def.Name, nil
	component.Spec.Traits = traits(
		corev1alpha1.ComponentTrait{Type: pre.Name},
		corev1alpha1.ComponentTrait{Type: during.Name, Properties: &runtime.RawExtension{Raw: []byte(`{"value":"one"}`)}},
		corev1alpha1.ComponentTrait{Type: post.Name},
	)
	s.create(component)
	s.awaitReason("app", condition.Ready, condition.ReasonReady)
	if got := s.configData("app-config"); got["text"] != "HELLO" || got["stamp"] != "one" {
		t.Errorf("the ConfigMap has %v", got)
	}
	if got := s.configData("app-after"); got["text"] != "HELLO" {
		t.Errorf("what the post trait adds has %v", got)
	}

	t.Log("a changed trait definition reaches the Component")
	before := during.DeepCopy()
	during.Spec.Files["template.cue"] = strings.Replace(stamp, "stamp:", "mark:", 1)
	s.must(s.client.Patch(t.Context(), during, client.MergeFrom(before)))
	s.eventually("the ConfigMap has the new field", func() string {
		if got := s.configData("app-config"); got["mark"] != "one" || got["stamp"] != "" {
			return pretty(got)
		}
		return ""
	})

	t.Log("what was added stays while the Component is not healthy, and leaves with its trait")
	s.edit("app", func(c *corev1alpha1.Component) {
		c.Spec.Properties = &runtime.RawExtension{Raw: []byte(`{"text":"hello","up":false}`)}
	})
	s.awaitReason("app", condition.Ready, condition.ReasonUnhealthy)
	if s.configData("app-after") == nil {
		t.Error("what the post trait added is gone")
	}
	s.edit("app", func(c *corev1alpha1.Component) { c.Spec.Traits = c.Spec.Traits[:2] })
	s.eventually("what the post trait added is gone", func() string {
		if s.configData("app-after") != nil {
			return "it is still there"
		}
		return ""
	})
	for _, one := range []*corev1alpha1.TraitDefinition{pre, during, post} {
		s.must(s.client.Delete(t.Context(), one))
	}
	s.awaitReason("app", condition.Rendered, condition.ReasonDefinitionNotFound)
	s.must(s.client.Delete(t.Context(), def))
}

func TestTraitsOfADispatchedComponent(t *testing.T) {
	s := newSpoke(t)
	component := s.component("app", "r1", inline("gated", gated), `{"text":"hello"}`)
	component.Spec.Traits = traits(
		corev1alpha1.ComponentTrait{Type: "stamp", Properties: &runtime.RawExtension{Raw: []byte(`{"value":"one"}`)}},
		corev1alpha1.ComponentTrait{Type: "after"},
	)
	snapshot := func(typ, phase, source string) corev1alpha1.TraitSnapshot {
		return corev1alpha1.TraitSnapshot{Type: typ, Name: typ, TraitContent: corev1alpha1.TraitContent{
			Phase: phase, DefinitionContent: corev1alpha1.DefinitionContent{Files: map[string]string{"template.cue": source}},
		}}
	}
	component.Spec.DefinitionSnapshot.Traits = []corev1alpha1.TraitSnapshot{snapshot("stamp", "", stamp)}
	s.create(component)
	missing := s.awaitReason("app", condition.Rendered, condition.ReasonDefinitionNotFound)
	if !strings.Contains(missing.Message, "trait after") {
		t.Errorf("the message does not name the trait: %s", missing.Message)
	}
	s.edit("app", func(c *corev1alpha1.Component) {
		c.Spec.Revision = "r2"
		c.Spec.DefinitionSnapshot.Traits = append(c.Spec.DefinitionSnapshot.Traits, snapshot("after", "post", epitaph))
	})
	s.awaitHealth("app", "r2", true)
	s.awaitReason("app", condition.Ready, condition.ReasonReady)
	if got := s.configData("app-config"); got["stamp"] != "one" {
		t.Errorf("the ConfigMap has %v", got)
	}

	t.Log("a post trait that fails leaves the Component healthy, and says so")
	s.edit("app", func(c *corev1alpha1.Component) {
		c.Spec.Revision = "r3"
		c.Spec.DefinitionSnapshot.Traits[1] = snapshot("after", "post", strings.Replace(epitaph, "config.data", "confog.data", 1))
	})
	s.awaitHealth("app", "r3", true)
	failed := s.awaitReason("app", condition.Ready, condition.ReasonTraitFailed)
	for _, part := range []string{"traits[1] after", "after/template.cue:1:", "confog"} {
		if !strings.Contains(failed.Message, part) {
			t.Errorf("the message does not say %q: %s", part, failed.Message)
		}
	}
}

// Definitions of KubeVela v1 run in the agent as they are.
func TestComponentOfKubeVelasShape(t *testing.T) {
	s := newSpoke(t)
	component := s.component("app", "r1", inline("v1", `"v1": {
	type: "component"
	attributes: status: {
		healthPolicy: "isHealth: context.output.data.text == parameter.text"
		customStatus: "message: \"says \\(context.output.data.text)\""
	}
}
template: {
	parameter: {text: string}
	output: {apiVersion: "v1", kind: "ConfigMap", data: text: *"x" | string, metadata: labels: app: context.appName}
	outputs: more: {apiVersion: "v1", kind: "ConfigMap", data: minor: "\(context.clusterVersion.minor)"}
}
`), `{"text":"hello","unknown":1}`)
	component.Spec.Traits = traits(corev1alpha1.ComponentTrait{Type: "set"})
	component.Spec.DefinitionSnapshot.Traits = []corev1alpha1.TraitSnapshot{{Type: "set", Name: "set", TraitContent: corev1alpha1.TraitContent{
		DefinitionContent: corev1alpha1.DefinitionContent{Files: map[string]string{"set.cue": "patch: data: text: context.parameter.text"}},
	}}}
	s.create(component)
	s.awaitHealth("app", "r1", true)
	if got := s.awaitReason("app", condition.Healthy, condition.ReasonHealthy); got.Message != "says hello" {
		t.Errorf("got message %q", got.Message)
	}
	if got := s.configData("app-more"); got["minor"] == "" || got["minor"] == "0" {
		t.Errorf("the cluster's version does not reach the definition: %v", got)
	}
}
