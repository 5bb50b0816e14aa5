package cue

import (
	"encoding/json"
	"fmt"
	"strings"

	"cuelang.org/go/cue"
)

// DecodeObject turns a concrete value into a Kubernetes object that is complete but for its name and namespace, which it may
// lack. The problems are all reasons why it is none. An apiVersion may be missing, as KubeVela has it; the spoke finds then that
// it knows no such kind.
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
	for _, wrong := range wrongInObject(object, "kind") {
		reader.report(value, wrong)
	}
	return object, reader.problems
}

// PlainObject is what DecodeObject gives for a value that is known as JSON with numbers as they are written. It is not ok
// where something is wrong with the object, which DecodeObject then puts into words.
func PlainObject(plain map[string]any) (object map[string]any, ok bool) {
	decoded, ok := withNumbers(plain)
	if !ok {
		return nil, false
	}
	object = decoded.(map[string]any)
	return object, len(wrongInObject(object, "kind")) == 0
}

// withNumbers is value with the numbers that Kubernetes' objects have. Values are changed in place.
func withNumbers(value any) (decoded any, ok bool) {
	switch value := value.(type) {
	case map[string]any:
		for key, field := range value {
			if value[key], ok = withNumbers(field); !ok {
				return nil, false
			}
		}
	case []any:
		for i, item := range value {
			if value[i], ok = withNumbers(item); !ok {
				return nil, false
			}
		}
	case json.Number:
		if integer, err := value.Int64(); err == nil {
			return integer, true
		}
		if !strings.Contains(value.String(), ".") {
			return nil, false // an integer beyond int64
		}
		float, err := value.Float64()
		return float, err == nil
	}
	return value, true
}

// wrongInObject says what is wrong with what every API server asks of every object. Required are texts that must be there.
func wrongInObject(object map[string]any, required ...string) []string {
	var wrong []string
	for _, required := range required {
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
				got := fmt.Sprint(values[name])
				if values[name] == nil {
					got = "null"
				}
				wrong = append(wrong, fmt.Sprintf("metadata.%s: %q must be a string, got %s", key, name, got))
			}
		}
	}
	return wrong
}
