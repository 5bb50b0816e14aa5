package agent_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// consumer shows where its text came from, and exports it.
const consumer = `
parameters: {text: string, limit: *"" | string}
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name + "-config", data: text: parameters.text}}]
isHealthy: true
message: "runs with \(parameters.text)"
exports: {text: parameters.text, address: "\(context.name).svc"}
if parameters.limit == "conflict" {outputs: [{value: data: text: parameters.text & "other"}]}
`

func TestDirectives(t *testing.T) {
	s := newSpoke(t)
	def := inline("consumer", consumer)

	t.Log("a dependency that is not there blocks, and its export releases")
	s.create(s.component("down", "d1", def, `{"text":{"fromDependency":"up.address"}}`))
	waiting := s.awaitReason("down", condition.Rendered, condition.ReasonUnresolved)
	for _, part := range []string{`property "text"`, "fromDependency: up.address", `component "up" exports nothing yet`} {
		if !strings.Contains(waiting.Message, part) {
			t.Errorf("the message does not say %q: %s", part, waiting.Message)
		}
	}
	if s.get("down").Status.Health != nil {
		t.Error("a revision that waits is judged")
	}
	s.create(s.component("up", "u1", def, `{"text":"x"}`))
	s.awaitHealth("down", "d1", true)
	if got := s.configData("down-config"); got["text"] != "up.svc" {
		t.Errorf("the ConfigMap has %v", got)
	}

	t.Log("a component of the same Application is named as there")
	sibling := s.component("shop-front", "f1", def, `{"text":{"fromDependency":{"component":"back","path":"address"}}}`)
	sibling.Labels = map[string]string{corev1alpha1.ApplicationLabel: "shop"}
	s.create(sibling)
	s.create(s.component("shop-back", "b1", def, `{"text":"x"}`))
	s.awaitHealth("shop-front", "f1", true)

	t.Log("a parameter of the Application is the hub's to resolve")
	s.create(s.component("lost", "l1", def, `{"text":{"fromParameter":"size"}}`))
	if got := s.awaitReason("lost", condition.Rendered, condition.ReasonUnresolved); !strings.Contains(got.Message, `there is no parameter "size"`) {
		t.Errorf("got %s", got.Message)
	}
}

// A change of a ConfigMap or Secret reaches those that take values from it when it is made, wherever they name it.
func TestSourcesAreWatched(t *testing.T) {
	s := newSpoke(t)
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "settings"}, Data: map[string]string{"text": "one"}}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "settings"}, StringData: map[string]string{"text": "hidden"}}
	s.create(s.component("later", "r1", inline("consumer", consumer), `{"text":{"fromSource":"settings.text"}}`))
	s.create(s.component("secret", "r1", inline("consumer", consumer), `{"text":{"fromSource":{"kind":"Secret","name":"settings","path":"text"}}}`))
	s.awaitReason("later", condition.Rendered, condition.ReasonUnresolved)
	s.create(config)
	s.create(secret)
	has := func(name, text string) {
		t.Helper()
		s.eventually(name+" has "+text, func() string {
			if data := s.configData(name); data["text"] != text {
				return pretty(data)
			}
			return ""
		})
	}
	has("later-config", "one")
	has("secret-config", "hidden")
	s.patch("v1", "ConfigMap", "settings", `{"data":{"text":"two"}}`)
	s.patch("v1", "Secret", "settings", `{"stringData":{"text":"other"}}`)
	has("later-config", "two")
	has("secret-config", "other")
}

func TestSecretsStaySecret(t *testing.T) {
	const password = "hunter2hunter2"
	s := newSpoke(t)
	s.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "database"}, StringData: map[string]string{"password": password}})
	s.create(s.component("app", "r1", inline("consumer", consumer), `{"text":{"fromSource":"secret/database.password"}}`))
	s.awaitHealth("app", "r1", true)
	if got := s.configData("app-config"); got["text"] != password {
		t.Errorf("the ConfigMap has %v", got)
	}
	s.edit("app", func(c *corev1alpha1.Component) {
		c.Spec.Revision = "r2"
		c.Spec.Properties = &runtime.RawExtension{Raw: []byte(`{"text":{"fromSource":"secret/database.password"},"limit":"conflict"}`)}
	})
	failed := s.awaitReason("app", condition.Rendered, condition.ReasonRenderFailed)
	if !strings.Contains(failed.Message, "consumer/template.cue:") || !strings.Contains(failed.Message, "withheld") {
		t.Errorf("the message has no place: %s", failed.Message)
	}
	shown := pretty(s.get("app").Status)
	events := &corev1.EventList{}
	s.must(s.client.List(t.Context(), events))
	for _, event := range events.Items {
		shown += event.Message
	}
	if strings.Contains(shown, password) {
		t.Errorf("the Secret's value shows: %s", shown)
	}
	t.Log("an API server repeats what it refuses")
	s.edit("app", func(c *corev1alpha1.Component) {
		c.Spec.Revision = "r3"
		c.Spec.Properties = &runtime.RawExtension{Raw: []byte(`{"text":{"fromSource":"secret/database.password"}}`)}
		c.Spec.DefinitionSnapshot.Files["template.cue"] = `parameters: text: string
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: parameters.text + "_!"}}]`
	})
	if refused := s.awaitReason("app", condition.Applied, condition.ReasonApplyFailed); strings.Contains(refused.Message, password) {
		t.Errorf("the Secret's value shows: %s", refused.Message)
	}
	exported := s.component("plain", "p1", inline("consumer", consumer), `{"text":{"fromSource":"secret/database.password"}}`)
	s.create(exported)
	status := s.awaitHealth("plain", "p1", true).Status
	if text := pretty(status); strings.Contains(text, password) || !strings.Contains(text, "[redacted]") {
		t.Errorf("got status %s", text)
	}
}
