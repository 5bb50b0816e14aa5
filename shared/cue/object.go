package cue

import (
	"fmt"

	"cuelang.org/go/cue"
)

// DecodeObject turns a concrete value into a Kubernetes object that is complete but for its name and namespace, which it may
// lack. The problems are all reasons why it is none.
func DecodeObject(value cue.Value) (map[string]any, []Problem) {
	reader := &decoder{}
	decoded := reader.value(value)
	if len(reader.problems) > 0 {
		return nil, reader.problems
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, []Problem{problemAt(value, "the value must be a Kubernetes object")}
	}
	for _, wrong := range wrongInObject(object) {
		reader.report(value, wrong)
	}
	return object, reader.problems
}

// wrongInObject says what is wrong with what every API server asks of every object.
func wrongInObject(object map[string]any) []string {
	var wrong []string
	for _, required := range []string{"apiVersion", "kind"} {
		if text, _ := object[required].(string); text == "" {
			wrong = append(wrong, fmt.Sprintf("the object has no %s", required))
		}
	}
	metadata, ok := object["metadata"].(map[string]any)
	if _, given := object["metadata"]; given && !ok { // null as well: a name could not be put into it
		return append(wrong, "metadata must be a map")
	}
	for _, key := range []string{"name", "namespace"} {
		if _, ok := metadata[key].(string); !ok && metadata[key] != nil {
			wrong = append(wrong, fmt.Sprintf("metadata.%s must be a string", key))
		}
	}
	for _, key := range []string{"labels", "annotations"} {
		values, ok := metadata[key].(map[string]any)
		if !ok && metadata[key] != nil {
			wrong = append(wrong, fmt.Sprintf("metadata.%s must be a map of strings", key))
		}
		for _, name := range sortedKeys(values) {
			if _, ok := values[name].(string); !ok {
				wrong = append(wrong, fmt.Sprintf("metadata.%s: %q must be a string, got %v", key, name, values[name]))
			}
		}
	}
	return wrong
}
