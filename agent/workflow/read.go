package workflow

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	cuelang "cuelang.org/go/cue"
)

// stepFields are the fields that a step can have.
var stepFields = []string{
	"name", "type", "properties", "selector", "if", "timeout", "retries", "dependsOn", "inputs", "outputs", "mode", "subSteps",
	"meta",
}

// read reads one field of a step.
func (s *Step) read(field string, value cuelang.Value) error {
	switch field {
	case "properties":
		return s.readProperties(value)
	case "subSteps":
		var err error
		s.SubSteps, err = readSteps(value)
		return err
	case "if":
		return s.readCondition(value)
	case "meta": // an alias for people, as kubevela/workflow has it
		return nil
	}
	target := map[string]any{
		"name": &s.Name, "type": &s.Type, "selector": &s.Selector, "timeout": &s.Timeout, "retries": &s.Retries,
		"dependsOn": &s.DependsOn, "inputs": &s.Inputs, "outputs": &s.Outputs, "mode": &s.Mode,
	}[field]
	if target == nil || !slices.Contains(stepFields, field) {
		return problem(value, "a step has no field %s: it can have %s", field, strings.Join(stepFields, ", "))
	}
	encoded, err := value.MarshalJSON()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(encoded, target); err != nil {
		return problem(value, "%s cannot be read: %v", field, err)
	}
	return nil
}

// readProperties keeps apart what is not concrete, since an input may bring it, or the step may leave it out.
func (s *Step) readProperties(value cuelang.Value) error {
	fields, err := value.Fields()
	if err != nil {
		return err
	}
	s.Properties, s.Missing = map[string]json.RawMessage{}, map[string]string{}
	for fields.Next() {
		key, property := fields.Selector().Unquoted(), fields.Value()
		encoded, err := property.MarshalJSON()
		switch {
		case err == nil:
			s.Properties[key] = encoded
		case property.Validate() != nil: // in conflict, which no later step mends
			return property.Validate()
		default:
			s.Missing[key] = explained(reasonOf(err))
		}
	}
	return nil
}

// readCondition takes a boolean as well as the text of an expression.
func (s *Step) readCondition(value cuelang.Value) error {
	if holds, err := value.Bool(); err == nil {
		s.If = strconv.FormatBool(holds)
		return nil
	}
	text, err := value.String()
	if err != nil {
		return problem(value, "if must be \"always\", a boolean, or the text of a CUE expression")
	}
	s.If = text
	return nil
}
