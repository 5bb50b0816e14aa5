package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

func TestDeletionRunsItsStepsAroundTheObjects(t *testing.T) {
	s := newSpoke(t)
	def := flow(`{type: "set-workflow-state", properties: job: "j"}, {type: "dispatch"}`, strings.Join([]string{
		job("before", `context.params.current.text, context.previousParams.text, context.workflow.job, context.event`),
		`{type: "dispatch-delete"}`,
		job("behind", `context.params.current.text, context.workflow.job`),
	}, ", "))
	def.Files["template.cue"] = strings.Replace(def.Files["template.cue"], "metadata: name: context.name + \"-config\"",
		`metadata: {name: context.name + "-config", finalizers: ["example.com/hold"]}`, 1)
	s.create(s.component("db", "r1", def, `{"text":"a"}`))
	s.awaitHealth("db", "r1", true)
	s.calls.take()
	s.must(s.client.Delete(t.Context(), s.get("db")))
	s.eventually("the object waits for its finalizer", func() string {
		waiting := s.awaitReason("db", condition.Workflow, condition.ReasonWorkflowRunning)
		if strings.Contains(waiting.Message, "example.com/hold") {
			return ""
		}
		return waiting.Message
	})
	s.wantJobs(map[string]int{"before": 1})
	if health := s.get("db").Status.Health; health != nil {
		t.Errorf("health is told of a Component that is being deleted: %s", pretty(health))
	}
	s.restartAgent()
	s.patch("v1", "ConfigMap", "db-config", `{"metadata":{"finalizers":null}}`)
	s.awaitGone("db")
	s.wantJobs(map[string]int{"before": 1, "behind": 1})
	jobs := s.jobs()
	for step, want := range map[string][]string{"before": {"a", "a", "j", "delete"}, "behind": {"a", "j"}} {
		if diff := cmp.Diff(want, jobs[step][0].Spec.Template.Spec.Containers[0].Command); diff != "" {
			t.Errorf("what step %s was given (-want +got):\n%s", step, diff)
		}
	}
	var order []string
	for _, call := range s.calls.take() {
		for name, part := range map[string]string{
			"job": "POST /apis/batch/v1/", "object": "DELETE /api/v1/", "finalizer": "components/db$",
		} {
			if strings.Contains(call+"$", part) {
				order = append(order, name)
			}
		}
	}
	if diff := cmp.Diff([]string{"job", "object", "job", "finalizer"}, order); diff != "" {
		t.Errorf("the order of what was done (-want +got):\n%s", diff)
	}
}

// installed is flow as a definition of the cluster, and a standalone Component of it.
func (s *spoke) installed(name string, create, undo string) *corev1alpha1.ComponentDefinition {
	s.t.Helper()
	made := flow(create, undo)
	def := &corev1alpha1.ComponentDefinition{ObjectMeta: metav1.ObjectMeta{Name: s.ns + "-" + name}}
	def.Spec.Files = made.Files
	s.create(def)
	component := s.component(name, "", made, `{"text":"a"}`)
	component.Spec.Type, component.Spec.DefinitionSnapshot = def.Name, nil
	s.create(component)
	s.awaitReason(name, condition.Ready, condition.ReasonReady)
	return def
}

func TestADefinitionThatIsGoneOrBrokenBlocksNoDeletion(t *testing.T) {
	s := newSpoke(t)
	gone := s.installed("gone", "", job("undo", `"down"`))
	s.must(s.client.Delete(t.Context(), gone))
	s.awaitReason("gone", condition.Rendered, condition.ReasonDefinitionNotFound)
	s.deleteComponent("gone")

	broken := s.installed("broken", "", job("undo", `"down"`))
	s.patchDefinition(broken, "outputs: [{name: nothing}]")
	s.awaitReason("broken", condition.Rendered, condition.ReasonDefinitionInvalid)
	s.deleteComponent("broken")
	s.must(s.client.Delete(t.Context(), broken))

	never := s.component("never", "r1", flow("", job("undo", `"down"`)), `{"text":{"fromDependency":"nobody.text"}}`)
	s.create(never)
	s.awaitReason("never", condition.Rendered, condition.ReasonUnresolved)
	s.deleteComponent("never")

	s.wantJobs(map[string]int{})
	for _, name := range []string{"gone-config", "broken-config"} {
		if s.configData(name) != nil {
			t.Errorf("ConfigMap %s is left behind", name)
		}
	}
}

func TestAFailedDeletionHoldsTheComponent(t *testing.T) {
	const failing = `{type: "run-job", name: "broken"}`
	s := newSpoke(t)
	def := s.installed("db", "", failing)
	s.must(s.client.Delete(t.Context(), s.get("db")))
	failed := s.awaitReason("db", condition.Workflow, condition.ReasonWorkflowFailed)
	s.awaitReason("db", condition.Ready, condition.ReasonWorkflowFailed)
	for _, part := range []string{"step broken failed", "wheel workflow restart component db", "wheel workflow terminate component db"} {
		if !strings.Contains(failed.Message, part) {
			t.Errorf("the condition does not say %q: %s", part, failed.Message)
		}
	}
	if s.configData("db-config") == nil {
		t.Error("the object is gone, though a step before its deletion failed")
	}
	s.ask("db", "restart/1")
	s.eventually("the request was acted upon", func() string { return cmp.Diff("restart/1", s.get("db").Status.WorkflowRequest) })
	s.awaitReason("db", condition.Workflow, condition.ReasonWorkflowFailed)
	s.ask("db", "terminate/2")
	s.awaitGone("db")
	if s.configData("db-config") != nil {
		t.Error("the object is left behind")
	}
	s.must(s.client.Delete(t.Context(), def))

	t.Log("a definition that is mended lets the deletion go on")
	def = s.installed("again", "", failing)
	s.must(s.client.Delete(t.Context(), s.get("again")))
	s.awaitReason("again", condition.Workflow, condition.ReasonWorkflowFailed)
	before := def.DeepCopy()
	def.Spec.Files["workflow.cue"] = flow("", job("undo", `"down"`)).Files["workflow.cue"]
	s.must(s.client.Patch(t.Context(), def, client.MergeFrom(before)))
	s.awaitGone("again")
	s.wantJobs(map[string]int{"undo": 1})
	s.must(s.client.Delete(t.Context(), def))
}

// A namespace that goes takes no new objects, so that a Job for the deletion could never be made.
func TestAWorkflowDoesNotHoldItsNamespace(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("db", "r1", flow("", job("undo", `"down"`)), `{"text":"a"}`))
	s.awaitHealth("db", "r1", true)
	s.must(s.client.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.ns}}))
	s.awaitGone("db")
}
