package agent_test

import (
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

func TestBadInputIsNamed(t *testing.T) {
	cases := map[string]struct {
		source, properties string
		condition, reason  string
		message            []string
	}{
		"syntax error": {"outputs: [\n  {name: }]", `{}`, condition.Rendered, condition.ReasonDefinitionInvalid, []string{"sample/template.cue:2:10"}},
		"unknown and missing parameters": {"parameters: image: string\noutputs: []", `{"imge":"x"}`, condition.Rendered, condition.ReasonInvalidProperties,
			[]string{`unknown parameter "imge": did you mean "image"?`, `missing required parameter "image"`}},
		"output without kind": {`outputs: [{name: "a", value: apiVersion: "v1"}]`, `{}`, condition.Rendered, condition.ReasonRenderFailed,
			[]string{"sample/template.cue:1:", "the object has no kind"}},
		"unknown kind": {`outputs: [{name: "a", value: {apiVersion: "example.com/v1", kind: "Unheard"}}]`, `{}`, condition.Applied, condition.ReasonApplyFailed,
			[]string{"Unheard.example.com", "install its CustomResourceDefinition"}},
		"refused by the API server": {`outputs: [{name: "a", value: {apiVersion: "v1", kind: "ConfigMap", data: x: 1}}]`, `{}`, condition.Applied, condition.ReasonApplyFailed,
			[]string{"ConfigMap ", "/bad"}},
		"health that cannot be evaluated": {"outputs: []\nisHealthy: context.name > 1", `{}`, condition.Healthy, condition.ReasonHealthCheckFailed,
			[]string{"sample/template.cue:2:12"}},
		"health that reads what is not there": {"outputs: []\nisHealthy: context.status.nobody.sets", `{}`, condition.Healthy, condition.ReasonUnhealthy,
			[]string{"undefined field: nobody"}},
		"exports in conflict": {"outputs: []\nexports: {a: 1 & 2}", `{}`, condition.Ready, condition.ReasonExportsFailed, []string{"exports.a"}},
	}
	s := newSpoke(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s.create(s.component("bad", "r1", inline("sample", tc.source), tc.properties))
			found := s.awaitReason("bad", tc.condition, tc.reason)
			for _, want := range tc.message {
				if !strings.Contains(found.Message, want) {
					t.Errorf("the message lacks %q: %s", want, found.Message)
				}
			}
			if tc.condition != condition.Ready {
				s.awaitHealth("bad", "r1", false)
			}
			s.deleteComponent("bad")
		})
	}
}

func TestDefinitionThatIsInstalledLater(t *testing.T) {
	s := newSpoke(t)
	component := s.component("app", "", configDefinition(), `{"names":["a"]}`)
	component.Spec.Type, component.Spec.DefinitionSnapshot = "v1/"+s.ns+"-late", nil
	s.create(component)
	missing := s.awaitReason("app", condition.Ready, condition.ReasonDefinitionNotFound)
	if !strings.Contains(missing.Message, s.ns+"-late-v1") {
		t.Errorf("the message does not name the object: %s", missing.Message)
	}
	def := &corev1alpha1.ComponentDefinition{ObjectMeta: metav1.ObjectMeta{Name: s.ns + "-late-v1"}}
	def.Spec.Files = map[string]string{"template.cue": configs}
	s.create(def)
	t.Cleanup(func() { _ = s.client.Delete(t.Context(), def) })
	s.awaitReason("app", condition.Ready, condition.ReasonReady)
}

// crd renders a CustomResourceDefinition and an object of it, in the wrong order.
const crd = `
parameters: group: string
outputs: [
	{name: "object", value: {apiVersion: "\(parameters.group)/v1", kind: "Widget", metadata: name: context.name, spec: size: 3}},
	{name: "definition", value: {
		apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: name: "widgets.\(parameters.group)"
		spec: {
			group: parameters.group, scope: "Namespaced", names: {kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList"}
			versions: [{name: "v1", served: true, storage: true, schema: openAPIV3Schema: {type: "object", "x-kubernetes-preserve-unknown-fields": true}}]
		}
	}},
]`

func TestCustomResourceBesideItsDefinition(t *testing.T) {
	s := newSpoke(t)
	group := s.ns + ".example.com"
	s.create(s.component("app", "r1", inline("crd", crd), `{"group":"`+group+`"}`))
	s.awaitHealth("app", "r1", true)
	if s.object(group+"/v1", "Widget", "app") == nil {
		t.Error("the custom resource is not there")
	}
	s.calls.take()
	s.deleteComponent("app")
	var deleted []string
	for _, call := range s.calls.take() {
		if strings.HasPrefix(call, "DELETE") && !strings.Contains(call, "resourcetrackers") {
			deleted = append(deleted, call)
		}
	}
	if len(deleted) != 2 || !strings.Contains(deleted[0], "/widgets/app") {
		t.Errorf("deleted in this order: %v", deleted)
	}
}

func TestEventsSayWhatHappened(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r1", configDefinition(), `{"names":["a"]}`))
	s.awaitHealth("app", "r1", true)
	s.dispatch("app", "r2", `{"names":["a"],"broken":true}`)
	s.awaitHealth("app", "r2", false)
	for _, reason := range []string{condition.ReasonApplied, condition.ReasonHealthy, condition.ReasonRenderFailed} {
		s.awaitEvent("app", reason)
	}
}

// What a definition of KubeVela's shape accepts without knowing it is said once, and is no error.
func TestUnknownParameterOfKubeVelaShapeIsAWarning(t *testing.T) {
	s := newSpoke(t)
	def := inline("vela", "output: {apiVersion: \"v1\", kind: \"ConfigMap\", data: text: parameter.text}\nparameter: text: string")
	s.create(s.component("app", "r1", def, `{"text":"x","txet":"y"}`))
	s.awaitHealth("app", "r1", true)
	s.eventually("the warning", func() string {
		events := &corev1.EventList{}
		s.must(s.client.List(t.Context(), events, client.InNamespace(s.ns)))
		for _, event := range events.Items {
			if event.Reason == condition.ReasonUnusedParameter {
				if want := `parameter "txet" is unknown to vela and has no effect`; event.Message != want || event.Type != corev1.EventTypeWarning || event.Count > 1 {
					t.Errorf("got %s %d times: %s", event.Type, event.Count, event.Message)
				}
				return ""
			}
		}
		return pretty(events.Items)
	})
}

// What could not be written down is not taken for settled.
func TestStatusThatCouldNotBeWrittenIsWrittenLater(t *testing.T) {
	s := newSpoke(t)
	refused := 0
	s.calls.refuseSome(func(request *http.Request) bool {
		if request.Method != http.MethodPatch || !strings.HasSuffix(request.URL.Path, "/components/app/status") || refused > 0 {
			return false
		}
		refused++
		return true
	})
	s.create(s.component("app", "r1", policedDefinition(), policedAs("common", "one")))
	s.awaitHealth("app", "r1", true)
}
