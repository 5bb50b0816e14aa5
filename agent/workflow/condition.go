package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"wheelwright.dev/wheelwright/shared/cue"
)

// condition decides whether a step runs. It is asked once, when the step's turn has come.
func (p *pass) condition(ctx context.Context, at place, step Step) (bool, error) {
	for _, name := range step.DependsOn {
		needed := p.run.step(name)
		if needed == nil || !needed.Finished() {
			return false, failed(ReasonInput, "it depends on step %q, which is no step before it", name)
		}
	}
	switch step.If {
	case "":
		return p.unhindered(at, step), nil
	case "always":
		return true, nil
	}
	scope, err := p.conditionScope(ctx, step)
	if err != nil {
		return false, err
	}
	holds, err := p.engine.options.Evaluator.Condition(ctx, step.If, scope)
	if wrong := (*cue.Error)(nil); errors.As(err, &wrong) {
		// Taking it for false would let the workflow succeed without the step.
		return false, failed(ReasonRendering, "its if cannot be decided: %w", err)
	}
	return holds, err
}

// unhindered is the condition of a step that has none: nothing before it failed, and all that it names has succeeded.
func (p *pass) unhindered(at place, step Step) bool {
	for _, name := range step.DependsOn {
		if p.run.step(name).Phase != StepSucceeded {
			return false
		}
	}
	if at.after != nil {
		for _, name := range at.after {
			if before := p.run.step(name); before != nil && before.Phase == StepFailed {
				return false
			}
		}
		return true
	}
	return p.run.failure() == nil
}

// conditionScope is what `if` sees, as in kubevela/workflow: status by step, inputs by name, the context and the properties.
func (p *pass) conditionScope(ctx context.Context, step Step) (Scope, error) {
	scope, err := p.scope(ctx)
	if err != nil {
		return nil, err
	}
	status := map[string]any{}
	for i := range p.run.Steps {
		one := &p.run.Steps[i]
		status[one.Name] = map[string]any{
			"name": one.Name, "type": one.Type, "phase": one.Phase, "reason": one.Reason, "message": one.Message,
			"failed": one.Phase == StepFailed, "succeeded": one.Phase == StepSucceeded, "skipped": one.Phase == StepSkipped,
			"timeout": one.Reason == ReasonTimeout, "failedAfterRetries": one.Reason == ReasonFailedAfterRetries,
			"terminate": one.Reason == ReasonTerminate,
		}
	}
	inputs := map[string]json.RawMessage{}
	for _, input := range step.Inputs {
		value, found, err := p.lookup(ctx, input.From)
		if err != nil {
			return nil, err
		}
		if found {
			inputs[input.From] = value
		}
	}
	for name, value := range map[string]any{
		"status": status, "inputs": inputs, "parameter": step.Properties, "parameters": step.Properties,
	} {
		if scope[name], err = encode(value); err != nil {
			return nil, fmt.Errorf("encoding %s for the if of step %s: %w", name, step.Name, err)
		}
	}
	return scope, nil
}
