package agent_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/definition"
)

// policed renders one ConfigMap with the name, text and annotations of its properties, or nothing.
const policed = `
parameters: {target: string, text: string, annotations: [string]: string, gone: *false | bool}
outputs: [if !parameters.gone {
	name: "config"
	value: {
		apiVersion: "v1", kind: "ConfigMap"
		metadata: {name: parameters.target, annotations: parameters.annotations}
		data: text: parameters.text
	}
}]
`

func policedDefinition() definition.Definition { return inline("policed", policed) }

// policedAs are properties of policed. Annotations are named as key, value, key, value.
func policedAs(target, text string, annotations ...string) string {
	named := map[string]string{}
	for pair := range slices.Chunk(annotations, 2) {
		named[pair[0]] = pair[1]
	}
	encoded, err := json.Marshal(map[string]any{"target": target, "text": text, "annotations": named})
	if err != nil {
		panic(err) // strings can be encoded
	}
	return string(encoded)
}

// withoutOutputs are properties of policed that render nothing.
const withoutOutputs = `{"target":"x","text":"x","annotations":{},"gone":true}`

// configWrites are those of calls that wrote to the ConfigMap of that name.
func configWrites(calls []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(calls), func(call string) bool { return !strings.HasSuffix(call, "/configmaps/"+name) })
}

func (s *spoke) createConfig(name, text string) *corev1.ConfigMap {
	s.t.Helper()
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: name}, Data: map[string]string{"text": text}}
	s.create(made)
	return made
}

func (s *spoke) wantText(name, want string) {
	s.t.Helper()
	if got := s.configData(name)["text"]; got != want {
		s.t.Errorf("ConfigMap %s has text %q, want %q", name, got, want)
	}
}

func TestUnknownPolicyIsNamed(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r1", policedDefinition(), policedAs("common", "x", corev1alpha1.OwnershipAnnotation, "mine")))
	s.awaitHealth("app", "r1", false)
	refused := s.awaitReason("app", condition.Applied, condition.ReasonApplyFailed)
	for _, want := range []string{"ConfigMap ", "component.oam.dev/ownership", `"mine"`, "take-over, read-only, shared"} {
		if !strings.Contains(refused.Message, want) {
			t.Errorf("the message lacks %q: %s", want, refused.Message)
		}
	}
	if s.configData("common") != nil {
		t.Error("the object was applied")
	}
}

func TestOnceIsAppliedOnce(t *testing.T) {
	s := newSpoke(t)
	once := func(text string) string {
		return policedAs("common", text, corev1alpha1.ApplyStrategyAnnotation, corev1alpha1.ApplyOnce)
	}
	s.createConfig("common", "of nobody")
	s.create(s.component("app", "r1", policedDefinition(), once("one")))
	s.awaitHealth("app", "r1", true)
	s.wantText("common", "one")

	s.patch("v1", "ConfigMap", "common", `{"data":{"text":"drifted"}}`)
	s.dispatch("app", "r2", once("two"))
	s.awaitHealth("app", "r2", true)
	s.awaitQuiet("app")
	s.wantText("common", "drifted")

	s.restartAgent()
	s.dispatch("app", "r3", once("three"))
	s.awaitHealth("app", "r3", true)
	s.wantText("common", "drifted")

	s.must(s.client.Delete(t.Context(), s.object("v1", "ConfigMap", "common")))
	s.dispatch("app", "r4", once("four"))
	s.awaitHealth("app", "r4", true)
	s.restartAgent()
	s.dispatch("app", "r5", once("five"))
	s.awaitHealth("app", "r5", true)
	s.awaitQuiet("app")
	if s.configData("common") != nil {
		t.Error("the object that somebody deleted is back")
	}
	if writes := configWrites(s.calls.take(), "common"); len(writes) != 1 {
		t.Errorf("the object was written to %d times, want once: %v", len(writes), writes)
	}
}

// Whatever is lost between applying and noting that, the object is found to be applied already.
func TestAgentThatEndsAfterApplyingOnceKnowsOfIt(t *testing.T) {
	s := newSpoke(t)
	once := func(text string) string {
		return policedAs("common", text, corev1alpha1.ApplyStrategyAnnotation, corev1alpha1.ApplyOnce)
	}
	s.calls.cutAfter(3) // the finalizer, the tracker, the object
	s.create(s.component("app", "r1", policedDefinition(), once("one")))
	s.eventually("the agent is cut off", func() string {
		if s.calls.isCut() {
			return ""
		}
		return "it is not"
	})
	s.wantText("common", "one")
	if s.tracker("app").Spec.Resources[0].Applied {
		t.Fatal("it was noted already, so that this test shows nothing")
	}
	s.restartAgent()
	s.awaitHealth("app", "r1", true)
	if !s.tracker("app").Spec.Resources[0].Applied {
		t.Error("it is not noted")
	}
	if writes := configWrites(s.calls.take(), "common"); len(writes) != 1 {
		t.Errorf("the object was written to %d times, want once", len(writes))
	}
}

func TestTakeOver(t *testing.T) {
	s := newSpoke(t)
	takeOver := []string{corev1alpha1.OwnershipAnnotation, corev1alpha1.OwnershipTakeOver}
	s.create(s.component("first", "r1", policedDefinition(), policedAs("common", "first")))
	s.awaitHealth("first", "r1", true)
	s.create(s.component("second", "q1", policedDefinition(), policedAs("common", "second", takeOver...)))
	s.awaitHealth("second", "q1", true)
	s.wantText("common", "second")
	refused := s.awaitReason("first", condition.Applied, condition.ReasonOwnedByAnother)
	if !strings.Contains(refused.Message, "Component "+s.ns+"/second") {
		t.Errorf("the message does not name the new owner: %s", refused.Message)
	}

	t.Log("the former owner does not take it back, whatever it renders, and neither after a restart")
	s.awaitQuiet("second")
	s.calls.take()
	s.dispatch("first", "r2", policedAs("common", "again"))
	s.awaitHealth("first", "r2", false)
	s.dispatch("first", "r3", policedAs("common", "again", takeOver...))
	s.awaitHealth("first", "r3", false)
	s.restartAgent()
	s.dispatch("first", "r4", policedAs("common", "again", takeOver...))
	s.dispatch("second", "q2", policedAs("common", "second", takeOver...))
	s.awaitHealth("first", "r4", false)
	s.awaitHealth("second", "q2", true)
	s.awaitQuiet("first")
	s.awaitQuiet("second")
	if writes := configWrites(s.calls.take(), "common"); len(writes) != 0 {
		t.Errorf("the two fight: %v", writes)
	}

	t.Log("its deletion leaves the object alone")
	s.deleteComponent("first")
	s.wantText("common", "second")
}

func TestRetain(t *testing.T) {
	s := newSpoke(t)
	retain := []string{corev1alpha1.GCStrategyAnnotation, corev1alpha1.GCRetain}
	stays := func(name string) {
		t.Helper()
		live := s.object("v1", "ConfigMap", name)
		if live == nil {
			t.Fatalf("%s is gone", name)
		}
		for key := range live.GetLabels() {
			t.Errorf("%s has the label %s still", name, key)
		}
		if _, ok := live.GetAnnotations()[corev1alpha1.AppliedHashAnnotation]; ok {
			t.Errorf("%s has the hash still", name)
		}
		s.wantText(name, "kept")
	}
	t.Run("an output that is removed", func(t *testing.T) {
		s.create(s.component("app", "r1", policedDefinition(), policedAs("one", "kept", retain...)))
		s.awaitHealth("app", "r1", true)
		s.dispatch("app", "r2", withoutOutputs)
		s.awaitHealth("app", "r2", true)
		stays("one")
		if left := s.tracker("app").Spec.Resources; len(left) != 0 {
			t.Errorf("the tracker has %v still", left)
		}
	})
	t.Run("a Component that is deleted", func(t *testing.T) {
		s.dispatch("app", "r3", policedAs("two", "kept", retain...))
		s.awaitHealth("app", "r3", true)
		s.deleteComponent("app")
		stays("two")
	})
	t.Run("what is said last counts", func(t *testing.T) {
		s.create(s.component("app", "r1", policedDefinition(), policedAs("three", "kept", retain...)))
		s.awaitHealth("app", "r1", true)
		s.dispatch("app", "r2", policedAs("three", "kept"))
		s.awaitHealth("app", "r2", true)
		s.deleteComponent("app")
		if s.configData("three") != nil {
			t.Error("the object is left behind")
		}
	})
}

// reader reads a ConfigMap that it does not own, and copies it.
const reader = `
outputs: [
	{
		name: "settings", statusPaths: [{name: "text", path: ".data.text"}]
		value: {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "settings", annotations: "component.oam.dev/ownership": "read-only"}}
	},
	{name: "copy", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "copy", data: text: context.outputs.settings.data.text}},
]
isHealthy: context.status.settings.text == "go"
exports: text: context.status.settings.text
`

func TestReadOnlyIsReadAndNeverWritten(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r1", inline("reader", reader), `{}`))
	waiting := s.awaitReason("app", condition.Applied, condition.ReasonProgressing)
	if want := "ConfigMap " + s.ns + "/settings: is not there"; !strings.Contains(waiting.Message, want) {
		t.Errorf("the message lacks %q: %s", want, waiting.Message)
	}
	s.createConfig("settings", "wait")
	s.awaitReason("app", condition.Healthy, condition.ReasonUnhealthy)
	s.patch("v1", "ConfigMap", "settings", `{"data":{"text":"go"}}`)
	component := s.awaitHealth("app", "r1", true)
	s.wantText("copy", "go")
	if got := string(component.Status.Exports.Raw); got != `{"text":"go"}` {
		t.Errorf("got exports %s", got)
	}
	want := []corev1alpha1.TrackedResource{{Version: "v1", Kind: "ConfigMap", Namespace: s.ns, Name: "copy"}}
	if diff := cmp.Diff(want, s.tracker("app").Spec.Resources); diff != "" {
		t.Errorf("tracker (-want +got):\n%s", diff)
	}

	t.Log("it wakes the Component after a restart too, and when somebody deletes it")
	s.restartAgent()
	s.patch("v1", "ConfigMap", "settings", `{"data":{"text":"wait"}}`)
	s.awaitHealth("app", "r1", false)
	s.must(s.client.Delete(t.Context(), s.object("v1", "ConfigMap", "settings")))
	s.awaitReason("app", condition.Applied, condition.ReasonProgressing)
	s.createConfig("settings", "go")
	s.awaitHealth("app", "r1", true)

	s.deleteComponent("app")
	s.wantText("settings", "go")
	if writes := configWrites(s.calls.take(), "settings"); len(writes) != 0 {
		t.Errorf("it was written to: %v", writes)
	}
}

func TestWhatBecomesReadOnlyIsLetGoOf(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r1", policedDefinition(), policedAs("common", "one")))
	s.awaitHealth("app", "r1", true)
	s.dispatch("app", "r2", policedAs("common", "two", corev1alpha1.OwnershipAnnotation, corev1alpha1.OwnershipReadOnly))
	s.awaitHealth("app", "r2", true)
	if labels := s.object("v1", "ConfigMap", "common").GetLabels(); len(labels) != 0 {
		t.Errorf("it has labels %v still", labels)
	}
	s.deleteComponent("app")
	s.wantText("common", "one")
}
