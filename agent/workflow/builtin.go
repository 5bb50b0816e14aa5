package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// builtin is a step that needs no definition.
type builtin func(ctx context.Context, p *pass, at place, step Step) (outcome, error)

// builtinOf gives the built-in step of a type, or nil. A definition of the same name is never asked for.
func builtinOf(stepType string) builtin {
	switch stepType {
	case TypeDispatch:
		return dispatch
	case TypeDispatchDelete:
		return dispatchDelete
	case TypeWaitHealthy:
		return waitHealthy
	case TypeSetWorkflowState:
		return setWorkflowState
	case TypeRunJob:
		return runJob
	case TypeSuspend:
		return suspend
	case TypeStepGroup:
		return stepGroup
	}
	return nil
}

func dispatch(ctx context.Context, p *pass, _ place, step Step) (outcome, error) {
	if err := decodeProperties(step, &struct{}{}); err != nil {
		return outcome{}, err
	}
	progress, err := p.event.Actions.Dispatch(ctx, p.workflow())
	return progressed(progress), err
}

func dispatchDelete(ctx context.Context, p *pass, _ place, step Step) (outcome, error) {
	if err := decodeProperties(step, &struct{}{}); err != nil {
		return outcome{}, err
	}
	progress, err := p.event.Actions.DispatchDelete(ctx)
	return progressed(progress), err
}

// waitHealthy takes its selector beside the properties, as the KEP shows it, or in them.
func waitHealthy(ctx context.Context, p *pass, _ place, step Step) (outcome, error) {
	if p.event.Kind == Delete {
		return outcome{}, failed(ReasonInput, "%s cannot stand in workflow.delete: nothing is kept healthy there", TypeWaitHealthy)
	}
	var properties struct {
		Selector *Selector `json:"selector"`
		Names    []string  `json:"names"`
	}
	if err := decodeProperties(step, &properties); err != nil {
		return outcome{}, err
	}
	names := properties.Names
	for _, selector := range []*Selector{properties.Selector, step.Selector} {
		if selector != nil {
			names = append(names, selector.Names...)
		}
	}
	if !p.run.Dispatched() {
		return outcome{}, failed(ReasonInput, "it stands before the dispatch step: nothing is applied yet that could be healthy")
	}
	progress, err := p.event.Actions.Healthy(ctx, names)
	return progressed(progress), err
}

// setWorkflowState leaves out what is not known: a key whose step did not run.
func setWorkflowState(_ context.Context, p *pass, _ place, step Step) (outcome, error) {
	kept := map[string]apiextensionsv1.JSON{}
	for key, value := range p.run.Workflow {
		kept[key] = value
	}
	size := 0
	for key, value := range step.Properties {
		kept[key] = apiextensionsv1.JSON{Raw: value}
	}
	for key, value := range kept {
		size += len(key) + len(value.Raw)
	}
	if size > maxWorkflow {
		return outcome{}, failed(ReasonOutput, "the workflow's state would have %d bytes; at most %d are allowed", size, maxWorkflow)
	}
	if len(kept) > 0 {
		p.run.Workflow = kept
	}
	var left []string
	for _, key := range sortedKeys(step.Missing) {
		left = append(left, fmt.Sprintf("%s (%s)", key, step.Missing[key]))
	}
	if len(left) > 0 {
		return done("left out what is not known: " + strings.Join(left, ", ")), nil
	}
	return done(""), nil
}

// suspend waits for a person, or for its duration to pass.
func suspend(_ context.Context, p *pass, _ place, step Step) (outcome, error) {
	var properties struct {
		Duration string `json:"duration"`
		Message  string `json:"message"`
	}
	if err := decodeProperties(step, &properties); err != nil {
		return outcome{}, err
	}
	waits := outcome{phase: StepSuspending, reason: ReasonSuspend, message: properties.Message}
	if waits.message == "" {
		waits.message = "suspended until it is resumed"
	}
	if properties.Duration == "" {
		return waits, nil
	}
	duration, err := time.ParseDuration(properties.Duration)
	if err != nil {
		return outcome{}, failed(ReasonInput, "properties.duration %q is no duration such as 30s: %w", properties.Duration, err)
	}
	waits.recheck = p.run.step(step.Name).StartedAt.Add(duration).Sub(p.now.Time)
	if waits.recheck <= 0 {
		return done(""), nil
	}
	return waits, nil
}

// decodeProperties reads the properties into a struct, and refuses those that it does not have.
func decodeProperties(step Step, into any) error {
	encoded, err := encode(step.Properties)
	if err != nil {
		return failed(ReasonInput, "its properties cannot be encoded: %w", err)
	}
	if len(step.Properties) == 0 {
		encoded = []byte("{}")
	}
	decoder := json.NewDecoder(strings.NewReader(string(encoded)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return failed(ReasonInput, "its properties do not fit %s: %s", step.Type, strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}
