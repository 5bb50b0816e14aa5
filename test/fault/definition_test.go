package fault

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/definition"
)

// whole is a component in which something happens at each boundary of the pipeline. Output "a" is there only while text is A.
const whole = `
parameters: {text: string, color: string, charts: string, receiver: string}
outputs: [
	{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name + "-config", data: {
		text: parameters.text, color: parameters.color, event: context.event, job: context.workflow.job
	}}},
	if parameters.text == "A" {
		{name: "a", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name + "-a"}}
	},
]
isHealthy: context.outputs.config.data.text == parameters.text
exports: text: parameters.text
`

const wholeWorkflow = `
workflow: {
	create: [
		{type: "run-job", name: "before", properties: {image: "tool:1", command: [context.parameters.text]}},
		{type: "helm-install", properties: {
			chart: "shop", repository: context.parameters.charts, insecureSkipTLSVerify: true
			values: size: context.parameters.text
		}},
		{type: "notify", properties: {url: context.parameters.receiver, message: context.parameters.text}},
		{type: "set-workflow-state", properties: job: context.steps.before.job},
		{type: "dispatch"},
		{type: "wait-healthy", selector: names: ["config"]},
		{type: "run-job", name: "behind", properties: {image: "tool:1", command: [context.parameters.text]}},
	]
	delete: [
		{type: "notify", properties: {url: context.parameters.receiver, message: "going"}},
		{type: "run-job", name: "undo", properties: {image: "tool:1", command: [context.parameters.text]}},
		{type: "dispatch-delete"},
		{type: "helm-uninstall"},
	]
}
`

const shout = `
import "strings"
patch: properties: text: strings.ToUpper(context.parameters.text)
`

const badge = `
outputs: [{name: "badge", value: {
	apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name + "-badge", data: text: context.parameters.text
}}]
`

// plain is a component without a workflow. Each value of text has an output of its own beside the common one.
const plain = `
parameters: {text: string}
outputs: [
	{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name + "-config", data: text: parameters.text}},
	{name: "own", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name + "-" + parameters.text}},
]
isHealthy: true
`

func definitionOf(name, template, workflow string) definition.Definition {
	files := map[string]string{"template.cue": template}
	if workflow != "" {
		files["workflow.cue"] = workflow
	}
	return definition.Definition{Name: name, APIVersion: "v1", Files: files}
}

// component is a Component as the hub dispatches it.
func (l *lane) component(name, revision string, def definition.Definition, properties string) *corev1alpha1.Component {
	made := &corev1alpha1.Component{}
	made.Namespace, made.Name = l.ns, name
	made.Spec = corev1alpha1.ComponentSpec{
		Type: def.Name, Revision: revision, DefinitionSnapshot: def.Snapshot(),
		Properties: &runtime.RawExtension{Raw: []byte(properties)},
	}
	return made
}

// wholeComponent has a value from elsewhere, a trait before and a trait after it is healthy.
func (l *lane) wholeComponent(name, revision, text string) *corev1alpha1.Component {
	made := l.component(name, revision, definitionOf("whole", whole, wholeWorkflow), l.wholeProperties(text))
	for _, one := range []struct{ name, phase, source string }{{"shout", "pre", shout}, {"badge", "post", badge}} {
		trait := corev1alpha1.TraitSnapshot{Type: one.name, Name: one.name}
		trait.Phase, trait.Files = one.phase, map[string]string{"template.cue": one.source}
		made.Spec.Traits = append(made.Spec.Traits, corev1alpha1.ComponentTrait{Type: one.name})
		made.Spec.DefinitionSnapshot.Traits = append(made.Spec.DefinitionSnapshot.Traits, trait)
	}
	return made
}

func (l *lane) wholeProperties(text string) string {
	return fmt.Sprintf(`{"text":%q,"color":{"fromSource":"configmap/settings.color"},"charts":%q,"receiver":%q}`,
		text, shared.charts, l.receiver.server.URL)
}
