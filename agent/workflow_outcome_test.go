package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

func TestAFailedStepIsTold(t *testing.T) {
	s := newSpoke(t)
	def := flow(`{type: "dispatch"}, if parameters.fail {{type: "run-job", name: "broken"}}`, "")
	s.create(s.component("db", "r1", def, `{"text":"a","fail":true}`))
	s.awaitHealth("db", "r1", false)
	failed := s.awaitReason("db", condition.Workflow, condition.ReasonWorkflowFailed)
	for _, part := range []string{"create event", "step broken failed", "properties.image is needed", "wheel workflow restart component db -n " + s.ns} {
		if failed.Status != metav1.ConditionFalse || !strings.Contains(failed.Message, part) {
			t.Errorf("the condition does not say %q: %s", part, pretty(failed))
		}
	}
	s.awaitReason("db", condition.Ready, condition.ReasonWorkflowFailed)
	event := s.get("db").Status.Event

	t.Log("what was dispatched is looked after")
	s.patch("v1", "ConfigMap", "db-config", `{"data":{"text":"drifted"}}`)
	s.eventually("the drift is corrected", func() string { return cmp.Diff("a", s.configData("db-config")["text"]) })

	t.Log("a new revision tries again, though it asks for the same")
	s.dispatch("db", "r2", `{"text":"a","fail":true}`)
	s.awaitHealth("db", "r2", false)
	if again := s.get("db").Status.Event; again.ID == event.ID || again.Type != corev1alpha1.EventCreate {
		t.Errorf("got event %s", pretty(again))
	}
	s.dispatch("db", "r3", `{"text":"a"}`)
	s.awaitHealth("db", "r3", true)
}

// Nothing is begun with parameters that do not fit, and a rendering that fails ends the event.
func TestWhatCannotBeRenderedEndsTheEvent(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("db", "r1", flow(job("migrate", `"up"`), ""), `{"text":1}`))
	s.awaitHealth("db", "r1", false)
	s.awaitReason("db", condition.Rendered, condition.ReasonInvalidProperties)
	s.wantJobs(map[string]int{})
	def := flow(`{type: "dispatch"}`, "")
	def.Files["template.cue"] += "if parameters.fail {outputs: [{value: data: text: context.workflow.missing}]}\n"
	s.create(s.component("no", "n1", def, `{"text":"a","fail":true}`))
	s.awaitHealth("no", "n1", false)
	if failed := s.awaitReason("no", condition.Workflow, condition.ReasonWorkflowFailed); !strings.Contains(failed.Message, "missing") {
		t.Errorf("got %s", pretty(failed))
	}
}

func TestANewRevisionSupersedesARunningEvent(t *testing.T) {
	s := newSpoke(t)
	def := flow(`if parameters.hold {{type: "suspend"}}, if context.paramsChanged {`+job("migrate", "parameters.text")+`}, {type: "dispatch"}`, "")
	s.create(s.component("db", "r1", def, `{"text":"a","hold":true}`))
	s.awaitReason("db", condition.Workflow, condition.ReasonWorkflowSuspended)
	if s.configData("db-config") != nil {
		t.Error("it was applied before its dispatch step")
	}
	s.dispatch("db", "r2", `{"text":"a"}`)
	s.awaitHealth("db", "r2", true)
	s.wantConfig("db-config", map[string]string{"text": "a", "event": "create"})
	s.wantJobs(map[string]int{})

	t.Log("A, B interrupted, A: what the migration to B did is done once more")
	s.dispatch("db", "r3", `{"text":"b","hold":true}`)
	s.awaitReason("db", condition.Workflow, condition.ReasonWorkflowSuspended)
	s.wantConfig("db-config", map[string]string{"text": "a", "event": "create"})
	s.dispatch("db", "r4", `{"text":"a"}`)
	s.awaitHealth("db", "r4", true)
	s.wantJobs(map[string]int{"migrate": 1})
	s.wantConfig("db-config", map[string]string{"text": "a", "event": "upgrade"})
	for _, version := range s.record.statuses("db") {
		if health := version.Status.Health; len(health) > 0 && slices.Contains([]string{"r1", "r3"}, health[0].Revision) {
			t.Errorf("a revision that was superseded while its event ran is judged: %s", pretty(health))
		}
	}
}

func TestRequestsToAWorkflow(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("db", "r1", flow(`{type: "suspend"}, `+job("migrate", `"up"`)+`, {type: "dispatch"}`, ""), `{"text":"a"}`))
	s.awaitReason("db", condition.Workflow, condition.ReasonWorkflowSuspended)
	if health := s.get("db").Status.Health; health != nil {
		t.Errorf("health is told while the event runs: %s", pretty(health))
	}
	s.restartAgent()
	s.ask("db", "resume/1")
	s.awaitHealth("db", "r1", true)
	s.wantJobs(map[string]int{"migrate": 1})

	t.Log("each request is acted upon once: the restarted workflow waits for another one")
	s.ask("db", "restart/2")
	s.awaitReason("db", condition.Workflow, condition.ReasonWorkflowSuspended)
	s.restartAgent()
	s.awaitStill("db")
	s.awaitReason("db", condition.Workflow, condition.ReasonWorkflowSuspended)
	s.ask("db", "resume/3")
	s.awaitHealth("db", "r1", true)
	s.wantJobs(map[string]int{"migrate": 2})

	s.ask("db", "restart/4")
	s.awaitReason("db", condition.Workflow, condition.ReasonWorkflowSuspended)
	s.ask("db", "terminate/5")
	s.awaitHealth("db", "r1", false)
	s.awaitReason("db", condition.Ready, condition.ReasonWorkflowTerminated)
}
