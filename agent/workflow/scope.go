package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// context is what definitions see as `context`, by the KEP's context table: a field that is not available is absent.
func (p *pass) context(ctx context.Context) (map[string]any, error) {
	given, deleting := p.event.Context, p.event.Kind == Delete
	fields := maps.Clone(given.Values)
	if fields == nil {
		fields = map[string]any{}
	}
	for _, field := range tableFields {
		delete(fields, field)
	}
	params, apiVersion := map[string]any{"current": orEmpty(given.CurrentParams)}, map[string]any{"current": given.CurrentAPIVersion}
	parameters := given.Parameters
	if deleting {
		parameters = firstOf(parameters, given.CurrentParams)
	} else {
		params["target"], apiVersion["target"] = orEmpty(given.TargetParams), given.TargetAPIVersion
		parameters = firstOf(parameters, given.TargetParams)
		fields["paramsChanged"] = given.ParamsChanged
		fields["definitionChanged"] = given.DefinitionChanged
		fields["traitsChanged"] = given.TraitsChanged
	}
	maps.Copy(fields, map[string]any{
		"name": p.event.Component.Name, "namespace": p.event.Component.Namespace, "event": p.event.Kind,
		"params": params, "apiVersion": apiVersion, "previousParams": params["current"], "parameters": parameters,
		"workflow": p.workflow(), "steps": p.returns(),
	})
	if deleting || !p.run.Dispatched() {
		return fields, nil
	}
	if p.outputs == nil {
		outputs, err := p.event.Actions.Outputs(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading what was applied, for context.outputs: %w", err)
		}
		p.outputs = orEmpty(outputs)
	}
	fields["outputs"] = p.outputs
	return fields, nil
}

// tableFields are given by the event alone, and absent where it does not give them.
var tableFields = []string{
	"event", "paramsChanged", "definitionChanged", "traitsChanged", "params", "apiVersion", "previousParams", "parameters",
	"outputs", "workflow", "steps", "name", "namespace",
}

// scope is what the workflow block sees.
func (p *pass) scope(ctx context.Context) (Scope, error) {
	fields, err := p.context(ctx)
	if err != nil {
		return nil, err
	}
	encoded, err := encode(fields)
	if err != nil {
		return nil, fmt.Errorf("encoding the context of the workflow: %w", err)
	}
	parameters, err := encode(fields["parameters"])
	if err != nil {
		return nil, fmt.Errorf("encoding the parameters of the workflow: %w", err)
	}
	return Scope{"context": encoded, "parameters": parameters, "parameter": parameters}, nil
}

// workflow is context.workflow: what earlier events left, and over it what this one set.
func (p *pass) workflow() map[string]any {
	merged := maps.Clone(p.event.Context.Workflow)
	if merged == nil {
		merged = map[string]any{}
	}
	for key, value := range p.run.Workflow {
		merged[key] = plain(value.Raw)
	}
	return merged
}

// plain is JSON as Kubernetes objects are made of: maps, lists, strings, booleans, int64 and float64. What is kept in a Run
// is always valid JSON.
func plain(encoded []byte) any {
	var value any
	_ = utiljson.Unmarshal(encoded, &value)
	return value
}

// returns are context.steps: what the steps that succeeded return, by name.
func (p *pass) returns() map[string]any {
	steps := map[string]any{}
	for i := range p.run.Steps {
		if step := &p.run.Steps[i]; step.Phase == StepSucceeded {
			steps[step.Name] = rawMap(step.Returns)
		}
	}
	return steps
}

// lookup finds the value of an input: a variable, or a field of the context.
func (p *pass) lookup(ctx context.Context, from string) (json.RawMessage, bool, error) {
	for name, value := range p.run.Variables {
		if name == from {
			return value.Raw, true, nil
		}
		if rest, below := strings.CutPrefix(from, name+"."); below {
			found, ok := descend(value.Raw, strings.Split(rest, "."))
			return found, ok, nil
		}
	}
	path := strings.Split(from, ".")
	if path[0] != "context" {
		return nil, false, nil
	}
	fields, err := p.context(ctx)
	if err != nil {
		return nil, false, err
	}
	encoded, err := encode(fields)
	if err != nil {
		return nil, false, fmt.Errorf("encoding the context for input %s: %w", from, err)
	}
	found, ok := descend(encoded, path[1:])
	return found, ok, nil
}

// descend follows a path through JSON.
func descend(value json.RawMessage, path []string) (json.RawMessage, bool) {
	for _, key := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil {
			return nil, false
		}
		below, ok := object[key]
		if !ok {
			return nil, false
		}
		value = below
	}
	return value, true
}

func rawMap(values map[string]apiextensionsv1.JSON) map[string]json.RawMessage {
	raw := make(map[string]json.RawMessage, len(values))
	for key, value := range values {
		raw[key] = value.Raw
	}
	return raw
}

func firstOf(maps ...map[string]any) map[string]any {
	for _, one := range maps {
		if one != nil {
			return one
		}
	}
	return map[string]any{}
}

func orEmpty(values map[string]any) map[string]any { return firstOf(values) }

func copyMap[V any](values map[string]V) map[string]V { return maps.Clone(values) }

func sortedKeys[V any](values map[string]V) []string { return slices.Sorted(maps.Keys(values)) }
