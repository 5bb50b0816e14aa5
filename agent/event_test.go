package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// table shows the KEP's context table in a ConfigMap. A name that is no name is refused by the API server.
const table = `
parameters: {text: string, name: *"config" | string}
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name + "-" + parameters.name, data: {
	event:   context.event
	params:  "\(context.params.current.text) to \(context.params.target.text)"
	line:    "\(context.apiVersion.current) to \(context.apiVersion.target)"
	changed: "\(context.paramsChanged) \(context.definitionChanged) \(context.traitsChanged)"
	former:  context.previousParams.text
}}}]
isHealthy: true
`

// shown is what table shows.
func shown(event, params, line, changed, former string) map[string]string {
	return map[string]string{"event": event, "params": params, "line": line, "changed": changed, "former": former}
}

func (s *spoke) wantConfig(name string, want map[string]string) {
	s.t.Helper()
	if diff := cmp.Diff(want, s.configData(name)); diff != "" {
		s.t.Errorf("ConfigMap %s (-want +got):\n%s", name, diff)
	}
}

func TestTemplatesSeeTheEventUntilTheNextOne(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", inline("table", table), `{"text":"a"}`))
	s.awaitHealth("web", "r1", true)
	s.wantConfig("web-config", shown("create", "a to a", "v1 to v1", "false false false", "a"))

	t.Log("other parameters are an upgrade")
	s.dispatch("web", "r2", `{"text":"b"}`)
	s.awaitHealth("web", "r2", true)
	upgraded := shown("upgrade", "a to b", "v1 to v1", "true false false", "a")
	s.wantConfig("web-config", upgraded)

	t.Log("a revision that changes nothing is none, and a restart is none either")
	event := s.get("web").Status.Event
	s.dispatch("web", "r3", `{"text":"b"}`)
	s.awaitHealth("web", "r3", true)
	s.restartAgent()
	s.patch("v1", "ConfigMap", "web-config", `{"data":{"event":"drifted"}}`)
	s.eventually("the drift is corrected", func() string { return cmp.Diff(upgraded, s.configData("web-config")) })
	if diff := cmp.Diff(event, s.get("web").Status.Event); diff != "" {
		t.Errorf("the event changed (-before +after):\n%s", diff)
	}

	t.Log("so are another definition, and other traits")
	s.edit("web", func(c *corev1alpha1.Component) {
		c.Spec.Revision, c.Spec.DefinitionSnapshot.APIVersion = "r4", "v2"
	})
	s.awaitHealth("web", "r4", true)
	s.wantConfig("web-config", shown("upgrade", "b to b", "v1 to v2", "false true false", "b"))
	s.edit("web", func(c *corev1alpha1.Component) {
		c.Spec.Revision = "r5"
		c.Spec.Traits = traits(corev1alpha1.ComponentTrait{Type: "more"})
		more := corev1alpha1.TraitSnapshot{Type: "more", Name: "more"}
		more.Files = map[string]string{"template.cue": "outputs: []"}
		c.Spec.DefinitionSnapshot.Traits = []corev1alpha1.TraitSnapshot{more}
	})
	s.awaitHealth("web", "r5", true)
	s.wantConfig("web-config", shown("upgrade", "b to b", "v2 to v2", "false false true", "b"))
}

// What B half did must be undone by an event, though the Component is to be again what was completed last.
func TestARevisionAfterAnInterruptedEventIsAnEvent(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", inline("table", table), `{"text":"a"}`))
	s.awaitHealth("web", "r1", true)
	first := s.get("web").Status.Event
	s.dispatch("web", "r2", `{"text":"b","name":"_"}`)
	s.awaitReason("web", condition.Applied, condition.ReasonApplyFailed)
	if event := s.get("web").Status.Event; event.Completed || event.Type != corev1alpha1.EventUpgrade {
		t.Errorf("got event %s", pretty(event))
	}
	s.dispatch("web", "r3", `{"text":"a"}`)
	s.awaitHealth("web", "r3", true)
	if event := s.get("web").Status.Event; event.ID == first.ID || !event.Completed {
		t.Errorf("got event %s", pretty(event))
	}
	s.wantConfig("web-config", shown("upgrade", "a to a", "v1 to v1", "true false false", "a"))

	t.Log("until something was completed, it is a create event")
	s.create(s.component("new", "n1", inline("table", table), `{"text":"a","name":"_"}`))
	s.awaitReason("new", condition.Applied, condition.ReasonApplyFailed)
	s.dispatch("new", "n2", `{"text":"b"}`)
	s.awaitHealth("new", "n2", true)
	s.wantConfig("new-config", shown("create", "b to b", "v1 to v1", "false false false", "b"))
}

func TestAnUpstreamExportIsAnEvent(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("up", "u1", inline("consumer", consumer), `{"text":"x"}`))
	s.create(s.component("down", "d1", inline("table", table), `{"text":{"fromDependency":"up.text"}}`))
	s.awaitHealth("down", "d1", true)
	s.wantConfig("down-config", shown("create", "x to x", "v1 to v1", "false false false", "x"))
	s.dispatch("up", "u2", `{"text":"y"}`)
	s.eventually("the export arrives", func() string {
		if data := s.configData("down-config"); data["event"] != "upgrade" || data["changed"] != "true false false" {
			return pretty(data)
		}
		return ""
	})
	s.awaitHealth("down", "d1", true)
}

func TestAnInstalledDefinitionThatIsEditedIsAnEvent(t *testing.T) {
	s := newSpoke(t)
	def := &corev1alpha1.ComponentDefinition{ObjectMeta: metav1.ObjectMeta{Name: s.ns + "-table"}}
	def.Spec.Files = map[string]string{"template.cue": table}
	s.create(def)
	component := s.component("web", "", inline("table", table), `{"text":"a"}`)
	component.Spec.Type, component.Spec.DefinitionSnapshot = def.Name, nil
	s.create(component)
	s.awaitReason("web", condition.Ready, condition.ReasonReady)
	s.patchDefinition(def, table+"// edited\n")
	s.eventually("the definition is taken up", func() string {
		return cmp.Diff(shown("upgrade", "a to a", "v1 to v1", "false true false", "a"), s.configData("web-config"))
	})
	s.must(s.client.Delete(t.Context(), def))
}
