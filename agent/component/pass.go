package component

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// errSuperseded ends a pass over a Component that somebody wrote to meanwhile.
var errSuperseded = errors.New("the Component was changed meanwhile: its workflow goes on with the next reconcile")

// pass lets the engine make one pass over a create or upgrade event, and takes in what it leads to.
func (r *Reconciler) pass(ctx context.Context, run *run) error {
	values, err := contextValues(run.work.Context)
	if err != nil {
		return err
	}
	run.scope.Workflow, run.scope.Values = run.state, values
	result, err := r.engine.Run(ctx, workflow.Event{
		Component: workflowOwner(run.component), ID: run.event.ID, Kind: workflow.Kind(run.event.Type),
		Definition: run.work.Definition, Context: run.scope, Run: run.workflowRun,
		Actions: &lifecycleActions{reconciler: r, run: run}, Loader: r, Client: run.actor.Client, Config: run.actor.Config,
		Save: func(ctx context.Context, saved workflow.Run) error {
			run.takeIn(saved)
			if halted := r.save(ctx, run); halted.isSuperseded() {
				return errSuperseded
			} else if halted != nil {
				return halted.err
			}
			return nil
		},
	})
	if result.Run.EventID != "" {
		run.takeIn(result.Run)
		run.recheckIn(result.RecheckAfter)
	}
	return err
}

// takeIn makes a run of the engine the Component's, without values from Secrets.
func (r *run) takeIn(made workflow.Run) {
	if r.resolved.HasSecrets() {
		r.redact(&made)
	}
	r.workflowRun = &made
	r.state = overlaid(r.state, &made)
}

// redact takes values from Secrets out of everything that a run keeps. It shares no maps with what the engine works on.
func (r *run) redact(made *workflow.Run) {
	made.Redact(r.resolved.Text)
	made.Workflow, made.Variables = r.redacted(made.Workflow), r.redacted(made.Variables)
	for i := range made.Steps {
		step := &made.Steps[i]
		step.Returns = r.redacted(step.Returns)
		notes := step.Notes
		step.Notes = nil
		for key, note := range notes {
			if step.Notes == nil {
				step.Notes = map[string]string{}
			}
			step.Notes[key] = r.resolved.Text(note)
		}
	}
}

func (r *run) redacted(values map[string]apiextensionsv1.JSON) map[string]apiextensionsv1.JSON {
	if values == nil {
		return nil
	}
	safe := make(map[string]apiextensionsv1.JSON, len(values))
	for key, value := range values {
		var decoded any
		_ = utiljson.Unmarshal(value.Raw, &decoded) // what a run keeps is JSON
		encoded, _ := json.Marshal(r.resolved.Values(decoded))
		safe[key] = apiextensionsv1.JSON{Raw: encoded}
	}
	return safe
}

// workflowHalt ends the pipeline at a workflow that has not succeeded.
func (r *run) workflowHalt() *halt {
	made := r.progress()
	if made == nil {
		return stop(condition.Workflow, condition.ReasonWorkflowRunning, "The workflow of the %s event begins", r.event.Type).waiting()
	}
	what := fmt.Sprintf("the workflow of the %s event", made.Event)
	detail := strings.TrimSuffix(made.Message, ".")
	switch {
	case made.Phase == workflow.PhaseFailed:
		return stop(condition.Workflow, condition.ReasonWorkflowFailed, "In %s, %s; change the Component, or %s",
			what, lowerFirst(detail), howToRestart(r.component))
	case made.Phase == workflow.PhaseTerminated:
		return stop(condition.Workflow, condition.ReasonWorkflowTerminated, "Of %s: %s; change the Component, or %s",
			what, lowerFirst(detail), howToRestart(r.component))
	case made.Suspended || made.Phase == workflow.PhaseSuspended:
		return stop(condition.Workflow, condition.ReasonWorkflowSuspended, "Of %s: %s", what, lowerFirst(detail)).waiting()
	}
	return stop(condition.Workflow, condition.ReasonWorkflowRunning, "In %s, %s", what, lowerFirst(detail)).waiting()
}

func howToRestart(component *corev1alpha1.Component) string {
	return fmt.Sprintf("run wheel workflow restart component %s -n %s", component.Name, component.Namespace)
}

func lowerFirst(text string) string {
	if text == "" {
		return "the next step begins"
	}
	return strings.ToLower(text[:1]) + text[1:]
}

func workflowOwner(component *corev1alpha1.Component) workflow.Component {
	return workflow.Component{Namespace: component.Namespace, Name: component.Name, UID: component.UID}
}

// contextValues are what definitions see beside what the event brings.
func contextValues(context cue.Context) (map[string]any, error) {
	encoded, err := json.Marshal(context)
	if err != nil {
		return nil, fmt.Errorf("encoding the context of the workflow: %w", err)
	}
	return decodeMap(encoded)
}

// LoadStep finds the definition of a custom step on this cluster.
func (r *Reconciler) LoadStep(ctx context.Context, name string) (definition.Definition, error) {
	reference, err := definition.ParseReference(name)
	if err != nil {
		return definition.Definition{}, &workflow.FailureError{Err: fmt.Errorf("step type %q can be no WorkflowStepDefinition's name", name)}
	}
	installed := &corev1alpha1.WorkflowStepDefinition{}
	if err := r.spokeClient.Get(ctx, client.ObjectKey{Name: reference.ObjectName()}, installed); err != nil {
		return definition.Definition{}, fmt.Errorf("reading WorkflowStepDefinition %s, which must be installed on this cluster: %w",
			reference.ObjectName(), err)
	}
	return definition.FromStepObject(installed), nil
}
