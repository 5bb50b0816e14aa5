package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/definition"
)

// flowing is a component with a workflow. Its ConfigMap shows what the template sees of the workflow's state.
const flowing = `
parameters: {text: string, hold: *false | bool, fail: *false | bool}
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name + "-config", data: {
	text:  parameters.text
	event: context.event
	if context.workflow.job != _|_ {job: context.workflow.job}
	if context.workflow.late != _|_ {late: context.workflow.late}
}}}]
isHealthy: true
`

// job is a step that runs a container.
func job(name, command string) string {
	return fmt.Sprintf(`{type: "run-job", name: %q, properties: {image: "tool:1", command: [%s]}}`, name, command)
}

// flow is a definition with the workflow blocks create and delete.
func flow(create, undo string) definition.Definition {
	def := inline("flow", flowing)
	def.Files["workflow.cue"] = "workflow: {\n\tcreate: [" + create + "]\n\tdelete: [" + undo + "]\n}\n"
	return def
}

// jobs are the Jobs in the namespace of the test, by the name of their step.
func (s *spoke) jobs() map[string][]batchv1.Job {
	s.t.Helper()
	list := &batchv1.JobList{}
	s.must(s.client.List(s.t.Context(), list, client.InNamespace(s.ns)))
	jobs := map[string][]batchv1.Job{}
	for _, one := range list.Items {
		step := one.Annotations["workflow.wheelwright.dev/step"]
		jobs[step] = append(jobs[step], one)
	}
	return jobs
}

func (s *spoke) wantJobs(want map[string]int) {
	s.t.Helper()
	got := map[string]int{}
	for step, jobs := range s.jobs() {
		got[step] = len(jobs)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("Jobs by step (-want +got):\n%s", diff)
	}
}

// ask puts a request to the workflow of a Component.
func (s *spoke) ask(name, request string) {
	s.t.Helper()
	s.edit(name, func(c *corev1alpha1.Component) {
		metav1.SetMetaDataAnnotation(&c.ObjectMeta, corev1alpha1.WorkflowRequestAnnotation, request)
	})
}

func TestAWorkflowRunsOncePerEvent(t *testing.T) {
	s := newSpoke(t)
	def := flow(strings.Join([]string{
		`if context.event == "create" || context.paramsChanged {` + job("migrate", "context.parameters.text") + `}`,
		`{type: "set-workflow-state", properties: job: context.steps.migrate.job}`,
		`{type: "dispatch"}`,
		`{type: "wait-healthy", selector: names: ["config"]}`,
		`{type: "set-workflow-state", properties: late: context.outputs.config.data.text}`,
	}, ",\n"), "")
	s.create(s.component("db", "r1", def, `{"text":"a"}`))
	s.awaitHealth("db", "r1", true)
	s.wantJobs(map[string]int{"migrate": 1})
	first := s.jobs()["migrate"][0].Name
	s.wantConfig("db-config", map[string]string{"text": "a", "event": "create", "job": first, "late": "a"})
	s.awaitReason("db", condition.Workflow, condition.ReasonWorkflowSucceeded)
	for _, version := range s.record.statuses("db") {
		health := version.Status.Health
		if version.Status.Event != nil && !version.Status.Event.Completed && len(health) > 0 {
			t.Errorf("health is told while the event runs: %s", pretty(version.Status))
		}
	}

	t.Log("a revision without a change, a restart and drift run nothing, and the state stays")
	s.dispatch("db", "r2", `{"text":"a"}`)
	s.awaitHealth("db", "r2", true)
	s.restartAgent()
	s.patch("v1", "ConfigMap", "db-config", `{"data":{"job":"drifted"}}`)
	s.eventually("the drift is corrected", func() string {
		return cmp.Diff(map[string]string{"text": "a", "event": "create", "job": first, "late": "a"}, s.configData("db-config"))
	})
	s.wantJobs(map[string]int{"migrate": 1})

	t.Log("an upgrade runs it again, and its keys replace those before")
	s.dispatch("db", "r3", `{"text":"b"}`)
	s.awaitHealth("db", "r3", true)
	s.wantJobs(map[string]int{"migrate": 2})
	data := s.configData("db-config")
	if data["job"] == first || data["event"] != "upgrade" || data["late"] != "b" {
		t.Errorf("got %v", data)
	}
	if got := pretty(s.get("db").Status.Workflow); got != fmt.Sprintf(`{"job":%q,"late":"b"}`, data["job"]) {
		t.Errorf("status.workflow is %s", got)
	}
}

func TestASettledWorkflowCostsNothing(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("db", "r1", flow(job("migrate", `"up"`), ""), `{"text":"a"}`))
	s.awaitHealth("db", "r1", true)
	s.awaitStill("db")
	s.calls.take()
	s.dispatch("db", "r2", `{"text":"a"}`)
	s.awaitHealth("db", "r2", true)
	s.awaitStill("db")
	want := []string{"PATCH /apis/core.wheelwright.dev/v1alpha1/namespaces/" + s.ns + "/components/db/status"}
	if diff := cmp.Diff(want, s.calls.take()); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// awaitStill waits until the Component has not been written to for twenty readings in a row.
func (s *spoke) awaitStill(name string) {
	s.t.Helper()
	for last, same := "", 0; same < 20; same++ {
		if now := s.get(name).ResourceVersion; now != last {
			last, same = now, 0
		}
	}
}

func TestAWorkflowKeepsNoSecrets(t *testing.T) {
	const password = "hunter2hunter2"
	s := newSpoke(t)
	s.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "database"}, StringData: map[string]string{"password": password}})
	def := flow(strings.Join([]string{
		`{type: "set-workflow-state", properties: {late: context.parameters.text, deep: {list: [context.params.target.text]}}}`,
		`{type: "dispatch"}`, job("migrate", "context.params.current.text"),
	}, ", "), "")
	s.create(s.component("db", "r1", def, `{"text":{"fromSource":"secret/database.password"}}`))
	s.awaitHealth("db", "r1", true)
	if command := s.jobs()["migrate"][0].Spec.Template.Spec.Containers[0].Command; command[0] != password {
		t.Errorf("the step was given %v", command)
	}
	s.wantConfig("db-config", map[string]string{"text": password, "event": "create", "late": "[redacted]"})
	for _, version := range s.record.statuses("db") {
		if strings.Contains(pretty(version), password) {
			t.Errorf("the Secret's value shows: %s", pretty(version))
		}
	}
}

// A step of one's own is found by name, and acts with the agent's client.
func TestAStepDefinition(t *testing.T) {
	s := newSpoke(t)
	step := &corev1alpha1.WorkflowStepDefinition{ObjectMeta: metav1.ObjectMeta{Name: s.ns + "-note"}}
	step.Spec.Files = map[string]string{"template.cue": `
import "vela/kube"
parameter: text: string
apply: kube.#Apply & {$params: value: {
	apiVersion: "v1", kind: "ConfigMap", data: text: parameter.text
	metadata: {name: context.name + "-note", namespace: context.namespace}
}}
`}
	s.create(step)
	s.create(s.component("db", "r1", flow(fmt.Sprintf(`{type: %q, properties: text: context.params.target.text}`, step.Name), ""), `{"text":"a"}`))
	s.awaitHealth("db", "r1", true)
	s.wantConfig("db-note", map[string]string{"text": "a"})
	s.must(s.client.Delete(t.Context(), step))
}

// A migration must not begin before the database that it is for is there.
func TestAStandaloneComponentBeginsItsWorkflowAfterItsDependencies(t *testing.T) {
	s := newSpoke(t)
	waits := s.component("app", "", flow(job("migrate", `"up"`), ""), `{"text":"a"}`)
	waits.Spec.DependsOn = []corev1alpha1.Dependency{{Name: "db"}}
	s.create(waits)
	s.awaitReason("app", condition.Applied, condition.ReasonWaitingForDependency)
	s.wantJobs(map[string]int{})
	if event := s.get("app").Status.Event; event != nil {
		t.Errorf("an event has begun: %s", pretty(event))
	}
	s.create(s.component("db", "", inline("consumer", consumer), `{"text":"x"}`))
	s.awaitReason("app", condition.Ready, condition.ReasonReady)
	s.wantJobs(map[string]int{"migrate": 1})
}

func TestStepsSeeTheParametersAfterPreTraits(t *testing.T) {
	s := newSpoke(t)
	component := s.component("db", "r1", flow(job("migrate", "context.parameters.text, context.params.target.text"), ""), `{"text":"a"}`)
	component.Spec.Traits = traits(corev1alpha1.ComponentTrait{Type: "shout"})
	sent := corev1alpha1.TraitSnapshot{Type: "shout", Name: "shout"}
	sent.Files = map[string]string{"template.cue": shout}
	component.Spec.DefinitionSnapshot.Traits = []corev1alpha1.TraitSnapshot{sent}
	s.create(component)
	s.awaitHealth("db", "r1", true)
	if diff := cmp.Diff([]string{"A", "a"}, s.jobs()["migrate"][0].Spec.Template.Spec.Containers[0].Command); diff != "" {
		t.Errorf("what the step was given (-want +got):\n%s", diff)
	}
	s.wantConfig("db-config", map[string]string{"text": "A", "event": "create"})
}
