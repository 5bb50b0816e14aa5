package workflow

import (
	"context"
	"encoding/json"
	"maps"
	"strings"

	"wheelwright.dev/wheelwright/shared/cue"
)

// fillInputs puts the inputs of a step into its properties. An input takes the place of a property.
func (p *pass) fillInputs(ctx context.Context, step *Step) error {
	properties, missing := maps.Clone(step.Properties), maps.Clone(step.Missing)
	if properties == nil {
		properties = map[string]json.RawMessage{}
	}
	for _, input := range step.Inputs {
		value, found, err := p.lookup(ctx, input.From)
		if err != nil {
			return err
		}
		key, below, deep := strings.Cut(input.ParameterKey, ".")
		switch {
		case !found && step.Type == TypeSetWorkflowState:
			continue // a key whose step did not run is left out
		case !found:
			return failed(ReasonInput, "input %q is neither an output of a step that succeeded nor a field of the context", input.From)
		case key == "":
			continue
		case deep:
			if value, err = insert(properties[key], strings.Split(below, "."), value); err != nil {
				return failed(ReasonInput, "input %q cannot be put at %s: %w", input.From, input.ParameterKey, err)
			}
		}
		properties[key] = value
		delete(missing, key)
	}
	step.Properties, step.Missing = properties, missing
	return nil
}

// insert puts value at a path of a JSON object, and makes the objects on the way there.
func insert(into json.RawMessage, path []string, value json.RawMessage) (json.RawMessage, error) {
	if len(path) == 0 {
		return value, nil
	}
	object := map[string]json.RawMessage{}
	if into != nil {
		if err := json.Unmarshal(into, &object); err != nil {
			return nil, err
		}
	}
	below, err := insert(object[path[0]], path[1:], value)
	if err != nil {
		return nil, err
	}
	object[path[0]] = below
	return json.Marshal(object)
}

// pickOutputs finds the outputs of a built-in step in what it returns.
func pickOutputs(outputs []Output, returns map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	if len(outputs) == 0 {
		return nil, nil
	}
	encoded, err := encode(returns)
	if err != nil {
		return nil, failed(ReasonOutput, "what it returns cannot be encoded: %w", err)
	}
	picked := map[string]json.RawMessage{}
	for _, output := range outputs {
		value, found := descend(encoded, strings.Split(output.ValueFrom, "."))
		if !found {
			return nil, failed(ReasonOutput, "output %s: it returns no %s", output.Name, output.ValueFrom)
		}
		picked[output.Name] = value
	}
	return picked, nil
}

// reasonOf is what a CUE error says, without places.
func reasonOf(err error) string {
	var messages []string
	for _, problem := range cue.ProblemsOf(err) {
		messages = append(messages, problem.Message)
	}
	return strings.Join(messages, ", ")
}
