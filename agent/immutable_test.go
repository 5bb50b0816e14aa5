package agent_test

import (
	"fmt"
	"strings"
	"testing"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// fixed renders an object of which a field cannot be changed.
func fixed(object string) string {
	return fmt.Sprintf("parameters: {v: string, annotations: [string]: string}\n"+
		"outputs: [{name: \"fixed\", value: %s & {metadata: {name: \"fixed\", annotations: parameters.annotations}}}]\nisHealthy: true\n", object)
}

const podTemplate = `{metadata: labels: app: parameters.v, spec: {restartPolicy: RESTART, containers: [{name: "main", image: parameters.v}]}}`

// immutables are objects with a field that cannot be changed, and how it is named.
var immutables = map[string]struct{ apiVersion, kind, object, field string }{
	"data of a ConfigMap": {"v1", "ConfigMap", `{apiVersion: "v1", kind: "ConfigMap", immutable: true, data: v: parameters.v}`, "data"},
	"type of a Secret":    {"v1", "Secret", `{apiVersion: "v1", kind: "Secret", type: "example.com/\(parameters.v)"}`, "type"},
	"cluster IP of a Service": {"v1", "Service", `{apiVersion: "v1", kind: "Service",
		spec: {ports: [{port: 80}], if parameters.v == "b" {clusterIP: "10.96.200.77"}}}`, "spec.clusterIPs"},
	"selector of a Deployment": {"apps/v1", "Deployment", `{apiVersion: "apps/v1", kind: "Deployment",
		spec: {selector: matchLabels: app: parameters.v, template: ` + strings.ReplaceAll(podTemplate, "RESTART", `"Always"`) + `}}`, "spec.selector"},
	"template of a Job": {"batch/v1", "Job", `{apiVersion: "batch/v1", kind: "Job",
		spec: template: ` + strings.ReplaceAll(podTemplate, "RESTART", `"Never"`) + `}`, "spec.template"},
	"claims of a StatefulSet": {"apps/v1", "StatefulSet", `{apiVersion: "apps/v1", kind: "StatefulSet", spec: {
		serviceName: parameters.v, selector: matchLabels: app: "x", template: {metadata: labels: app: "x", spec: containers: [{name: "main", image: "x"}]}}}`, "spec (Forbidden: updates to statefulset spec"},
}

func TestImmutableFieldIsNamed(t *testing.T) {
	s := newSpoke(t)
	for name, tc := range immutables {
		t.Run(name, func(t *testing.T) {
			s.create(s.component("app", "r1", inline("fixed", fixed(tc.object)), `{"v":"a","annotations":{}}`))
			s.awaitHealth("app", "r1", true)
			uid := s.object(tc.apiVersion, tc.kind, "fixed").GetUID()
			s.calls.take()
			s.dispatch("app", "r2", `{"v":"b","annotations":{}}`)
			s.awaitHealth("app", "r2", false)
			refused := s.awaitReason("app", condition.Applied, condition.ReasonApplyFailed)
			for _, want := range []string{tc.kind + " ", tc.field, corev1alpha1.RecreateAnnotation} {
				if !strings.Contains(refused.Message, want) {
					t.Errorf("the message lacks %q: %s", want, refused.Message)
				}
			}
			if s.object(tc.apiVersion, tc.kind, "fixed").GetUID() != uid {
				t.Error("it was made again though nobody asked for that")
			}
			s.awaitQuiet("app")
			tries := 0
			for _, call := range s.calls.take() {
				if strings.HasSuffix(call, "/fixed") {
					tries++
				}
			}
			// Once for the new revision, and once for the event of each of its own writes: of the tracker, and of its status.
			if tries > 3 {
				t.Errorf("the refused change was tried %d times in a short while", tries)
			}
			s.deleteComponent("app")
		})
	}
}

func TestImmutableObjectIsMadeAgainWhereThatIsSaid(t *testing.T) {
	s := newSpoke(t)
	const recreate = `"annotations":{"core.wheelwright.dev/recreate-on-immutable":"true"}`
	for name, tc := range immutables {
		t.Run(name, func(t *testing.T) {
			s.create(s.component("app", "r1", inline("fixed", fixed(tc.object)), `{"v":"a",`+recreate+`}`))
			s.awaitHealth("app", "r1", true)
			uid := s.object(tc.apiVersion, tc.kind, "fixed").GetUID()
			s.dispatch("app", "r2", `{"v":"b",`+recreate+`}`)
			s.awaitHealth("app", "r2", true)
			if s.object(tc.apiVersion, tc.kind, "fixed").GetUID() == uid {
				t.Error("it is the same object still")
			}
			s.deleteComponent("app")
		})
	}
	t.Run("not before it is really gone", func(t *testing.T) {
		tc := immutables["data of a ConfigMap"]
		s.create(s.component("app", "r1", inline("fixed", fixed(tc.object)), `{"v":"a",`+recreate+`}`))
		s.awaitHealth("app", "r1", true)
		s.patch("v1", "ConfigMap", "fixed", `{"metadata":{"finalizers":["example.com/hold"]}}`)
		s.dispatch("app", "r2", `{"v":"b",`+recreate+`}`)
		waiting := s.awaitReason("app", condition.Applied, condition.ReasonProgressing)
		if !strings.Contains(waiting.Message, "example.com/hold") {
			t.Errorf("the message does not name what holds it: %s", waiting.Message)
		}
		s.patch("v1", "ConfigMap", "fixed", `{"metadata":{"finalizers":null}}`)
		s.awaitHealth("app", "r2", true)
	})
	t.Run("not one of another Component", func(t *testing.T) {
		s.createConfig("other", "theirs")
		s.patch("v1", "ConfigMap", "other", `{"immutable":true}`)
		s.create(s.component("second", "q1", policedDefinition(), policedAs("other", "ours", corev1alpha1.RecreateAnnotation, "true")))
		s.awaitReason("second", condition.Applied, condition.ReasonApplyFailed)
		s.wantText("other", "theirs")
	})
}
