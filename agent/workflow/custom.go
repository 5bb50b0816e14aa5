package workflow

import (
	"context"
	"errors"
	"fmt"

	"wheelwright.dev/wheelwright/shared/cue"
)

// custom runs a step that has a definition, on the engine.
func (p *pass) custom(ctx context.Context, step Step) (result outcome, err error) {
	defer recovered(step.Type, &err)
	task, err := p.prepare(ctx, step)
	if wrong := (*cue.Error)(nil); errors.As(err, &wrong) {
		return outcome{}, failed(ReasonRendering, "its definition %s cannot be used with these properties: %w", step.Type, err)
	}
	if err != nil {
		return outcome{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.engine.options.StepBudget)
	defer cancel()
	status, operation, value, err := task.run(ctx)
	if err != nil {
		return outcome{}, fmt.Errorf("the engine cannot run it: %w", err)
	}
	return task.outcome(status, operation, value)
}

// prepare loads the definition, and finds everything that is wrong with it before the engine sees it.
func (p *pass) prepare(ctx context.Context, step Step) (*task, error) {
	def, err := p.event.Loader.LoadStep(ctx, step.Type)
	if err != nil {
		return nil, fmt.Errorf("loading the definition of step type %s: %w", step.Type, err)
	}
	template, err := readTemplate(def)
	if err != nil {
		return nil, err
	}
	if err := p.engine.providers.check(template); err != nil {
		return nil, err
	}
	fields, err := p.context(ctx)
	if err != nil {
		return nil, err
	}
	encoded, err := encode(fields)
	if err != nil {
		return nil, err
	}
	parameters, err := encode(step.Properties)
	if err != nil {
		return nil, err
	}
	compiler, err := p.engine.providers.compiler(template.imports)
	if err != nil {
		return nil, err
	}
	// The check builds its own copies of the imports, since building writes into them.
	checker, err := p.engine.providers.compiler(template.imports)
	if err != nil {
		return nil, err
	}
	if err := template.check(checker.GetImports(), encoded, parameters); err != nil {
		return nil, err
	}
	if err := p.engine.providers.checkProperties(template, step.Properties); err != nil {
		return nil, err
	}
	return &task{
		template: template, compiler: compiler, fields: fields, parameters: parameters, call: &call{pass: p, step: step},
	}, nil
}
