package vela

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"wheelwright.dev/wheelwright/shared/cue"
)

// contextFor is what the definition reads of contextOf.
func (t *Template) contextFor(context cue.Context, parameters []byte) (map[string]any, error) {
	if t.reads == nil {
		return contextOf(context, parameters)
	}
	only := map[string]bool{"parameters": t.reads[parameterField], "appName": true}
	maps.Copy(only, t.reads)
	fields, err := contextOf(context.Only(only), parameters)
	maps.DeleteFunc(fields, func(key string, _ any) bool { return !t.reads[key] })
	return fields, err
}

// contextOf is the context under the keys that definitions of KubeVela v1 know. Those that Wheelwright has nothing to say
// for are there and empty, since such definitions take them for granted.
func contextOf(context cue.Context, parameters []byte) (map[string]any, error) {
	fields := map[string]any{
		"appName": context.Name, "appRevision": "", "appRevisionNum": 0, "revision": "",
		"cluster": "", "workflowName": "", "publishVersion": "", "replicaKey": "",
		"appLabels": map[string]any{}, "appAnnotations": map[string]any{}, "components": []any{},
		"clusterVersion": map[string]any{"major": "", "minor": 0, "gitVersion": "", "platform": ""},
	}
	encoded, err := json.Marshal(context)
	if err != nil {
		return nil, fmt.Errorf("encoding the context: %w", err)
	}
	given, err := decodeMap(encoded)
	if err != nil {
		return nil, err
	}
	maps.Copy(fields, given)
	numberMinor(fields["clusterVersion"])
	if _, ok := fields["parameter"]; ok {
		return fields, nil
	}
	if parameters != nil {
		fields["parameter"] = json.RawMessage(parameters)
	} else if ofComponent, ok := fields["parameters"]; ok { // in a trait's context
		fields["parameter"] = ofComponent
	}
	return fields, nil
}

// numberMinor makes a number of the minor version, which API servers state as text, and some with a sign behind it, as 25+.
func numberMinor(version any) {
	fields, ok := version.(map[string]any)
	if !ok {
		return
	}
	if text, ok := fields["minor"].(string); ok {
		minor, err := strconv.Atoi(strings.TrimRight(strings.TrimSpace(text), ".+-/?!"))
		if err != nil {
			minor = 0
		}
		fields["minor"] = minor
	}
}
