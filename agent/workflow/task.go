package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	cuelang "cuelang.org/go/cue"
	oamv1alpha1 "github.com/kubevela/pkg/apis/oam/v1alpha1"
	"github.com/kubevela/pkg/cue/cuex"
	monitor "github.com/kubevela/pkg/monitor/context"
	wfv1alpha1 "github.com/kubevela/workflow/api/v1alpha1"
	wfcontext "github.com/kubevela/workflow/pkg/context"
	"github.com/kubevela/workflow/pkg/cue/model/value"
	"github.com/kubevela/workflow/pkg/cue/process"
	wfbuiltin "github.com/kubevela/workflow/pkg/providers/builtin"
	wfproviders "github.com/kubevela/workflow/pkg/providers/types"
	"github.com/kubevela/workflow/pkg/tasks/custom"
	wftypes "github.com/kubevela/workflow/pkg/types"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// task is a custom step, ready to be run by the engine.
type task struct {
	template   *template
	compiler   *cuex.Compiler
	fields     map[string]any
	parameters json.RawMessage
	call       *call
}

// run makes the engine run the step. Its hooks stay out: inputs, outputs, `if` and timeouts are decided before and after.
func (t *task) run(ctx context.Context) (wfv1alpha1.StepStatus, *wftypes.Operation, cuelang.Value, error) {
	p, step, status := t.call.pass, t.call.step, t.call.pass.run.step(t.call.step.Name)
	processContext := process.NewContext(process.ContextData{
		Name: p.event.Component.Name, Namespace: p.event.Component.Namespace, CustomData: t.fields,
	})
	const quiet = 9
	load := func(context.Context, string) (string, error) { return t.template.text, nil }
	generate, err := custom.NewTaskLoader(load, quiet, processContext, t.compiler).GetTaskGenerator(ctx, step.Type)
	if err != nil {
		return wfv1alpha1.StepStatus{}, nil, cuelang.Value{}, err
	}
	runner, err := generate(oamv1alpha1.WorkflowStep{WorkflowStepBase: oamv1alpha1.WorkflowStepBase{
		Name: step.Name, Type: step.Type, Properties: &runtime.RawExtension{Raw: t.parameters},
	}}, &wftypes.TaskGeneratorOptions{ID: status.ID})
	if err != nil {
		return wfv1alpha1.StepStatus{}, nil, cuelang.Value{}, err
	}
	var result cuelang.Value
	capture := func(_ wfcontext.Context, value cuelang.Value, _ oamv1alpha1.WorkflowStep,
		_ wfv1alpha1.StepStatus, _ map[string]wfv1alpha1.StepStatus) error {
		result = value
		return nil
	}
	asTheyAre := func(_ wfcontext.Context, value cuelang.Value, _ oamv1alpha1.WorkflowStep) (cuelang.Value, error) {
		return value, nil
	}
	stepContext := &tracer{Context: t.withClient(withCall(ctx, t.call)), id: status.ID}
	reported, operation, err := runner.Run(variables{run: p.run, step: step.Name}, &wftypes.TaskRunOptions{
		GetTracer:     func(string, oamv1alpha1.WorkflowStep) monitor.Context { return stepContext },
		StepStatus:    map[string]wfv1alpha1.StepStatus{step.Name: {Phase: wfv1alpha1.WorkflowStepPhase(status.Phase)}},
		PreStartHooks: []wftypes.TaskPreStartHook{asTheyAre},
		PostStopHooks: []wftypes.TaskPostStopHook{capture},
	})
	return reported, operation, result, err
}

// withClient gives the engine's providers the client of the event. Without one they would take that of the process.
func (t *task) withClient(ctx context.Context) context.Context {
	var stepClient client.Client = refusingClient{}
	if t.call.pass.event.Client != nil {
		stepClient = t.call.pass.event.Client
	}
	return context.WithValue(ctx, wfproviders.KubeClientKey, stepClient)
}

// outcome reads what the engine came to. Success is believed only of a template in which nothing went wrong.
func (t *task) outcome(status wfv1alpha1.StepStatus, operation *wftypes.Operation, result cuelang.Value) (outcome, error) {
	if t.call.err != nil {
		return outcome{}, t.call.err
	}
	switch {
	case status.Phase == wfv1alpha1.WorkflowStepPhaseFailed && status.Reason == wftypes.StatusReasonExecute:
		return outcome{}, errors.New(status.Message)
	case status.Phase == wfv1alpha1.WorkflowStepPhaseFailed:
		return outcome{}, failed(status.Reason, "%s", status.Message)
	case status.Phase == wfv1alpha1.WorkflowStepPhaseSuspending:
		return outcome{phase: StepSuspending, reason: ReasonSuspend, message: status.Message, recheck: t.resumesIn(status.ID)}, nil
	case status.Phase == wfv1alpha1.WorkflowStepPhaseRunning:
		return outcome{phase: StepRunning, reason: ReasonWait, message: status.Message, recheck: t.recheck()}, nil
	case status.Phase != wfv1alpha1.WorkflowStepPhaseSucceeded:
		return outcome{}, fmt.Errorf("the engine ended it in phase %q", status.Phase)
	}
	succeeded := outcome{phase: StepSucceeded, message: status.Message, terminate: operation.Terminated}
	if succeeded.terminate {
		return succeeded, nil // it ended early, so the rest of the template is as it was
	}
	if err := result.Validate(); err != nil {
		return outcome{}, failed(ReasonRendering, "its definition is in conflict with what its actions returned: %s", reasonOf(err))
	}
	if err := undecided(result); err != nil {
		return outcome{}, err
	}
	return succeeded, t.collect(result, &succeeded)
}

// collect reads what later steps find: $returns at the root of the template, and the outputs by name.
func (t *task) collect(result cuelang.Value, into *outcome) error {
	if returns := result.LookupPath(cuelang.ParsePath("$returns")); returns.Exists() {
		encoded, err := returns.MarshalJSON()
		if err == nil {
			err = json.Unmarshal(encoded, &into.returns)
		}
		if err != nil {
			return failed(ReasonOutput, "what it returns cannot be read: %s", reasonOf(err))
		}
	}
	into.outputs = map[string]json.RawMessage{}
	for _, output := range t.call.step.Outputs {
		found, err := find(result, output.ValueFrom)
		if err != nil {
			return failed(ReasonOutput, "output %s: there is no %s: %s", output.Name, output.ValueFrom, reasonOf(err))
		}
		if into.outputs[output.Name], err = found.MarshalJSON(); err != nil {
			return failed(ReasonOutput, "output %s: %s is not known: %s", output.Name, output.ValueFrom, reasonOf(err))
		}
	}
	return nil
}

// find gives the value of a path in the template, of one in what its action returned, or of an expression over the template.
func find(result cuelang.Value, from string) (cuelang.Value, error) {
	for _, text := range []string{from, "$returns." + from} {
		if path := cuelang.ParsePath(text); path.Err() == nil {
			if found := result.LookupPath(path); found.Exists() {
				return found, nil
			}
		}
	}
	return value.LookupValueByScript(result, from)
}

// recheck is the action's own, or a poll that slows down: nobody knows what else a template waits for.
func (t *task) recheck() time.Duration {
	if t.call.action {
		return t.call.recheck
	}
	p := t.call.pass
	return pollDelay(p.now.Sub(p.run.step(t.call.step.Name).StartedAt.Time))
}

// resumesIn is when the engine's own suspend action goes on by itself, or 0.
func (t *task) resumesIn(id string) time.Duration {
	p := t.call.pass
	note := variables{run: p.run, step: t.call.step.Name}.GetMutableValue(id, wfbuiltin.ResumeTimeStamp)
	resume, err := time.Parse(time.RFC3339, note)
	if err != nil {
		return 0
	}
	return max(resume.Sub(p.now.Time), minDelay)
}
