package cue

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// Any path, over any object: what is read finds what lies there, and nothing else.
func FuzzStatusPath(f *testing.F) {
	const object = `{"status":{"readyReplicas":3,"conditions":[{"type":"Ready"}],"a.b/c":{"'":null}},"":{"":1}}`
	for _, path := range []string{
		".status.readyReplicas", "status.conditions[0].type", ".status['a.b/c']", `.status["a.b/c"]["'"]`, ".status.conditions[99999999999999999999]",
		"", ".", "..status", ".status[", ".status[-1]", ".status[*]", ".status[?(@.type==\"Ready\")]", "$.status", ".status['']", "[0]",
	} {
		f.Add(path, object)
	}
	f.Fuzz(func(t *testing.T, path, text string) {
		parsed, err := ParseStatusPath("name", path)
		if err != nil {
			if !strings.Contains(err.Error(), "path ") || !strings.Contains(err.Error(), strconv.Quote(path)) {
				t.Errorf("the message does not say which path is wrong: %v", err)
			}
			return
		}
		var object, same map[string]any
		if json.Unmarshal([]byte(text), &object) == nil && json.Unmarshal([]byte(text), &same) == nil {
			if parsed.Find(object); !reflect.DeepEqual(object, same) {
				t.Error("looking changed the object")
			}
		}
		planted, ok := plant(parsed.segments, "found").(map[string]any)
		if !ok {
			return // a path that starts with an index leads into no object
		}
		if value, ok := parsed.Find(planted); !ok || value != "found" {
			t.Errorf("path %q finds %v in %v", path, value, planted)
		}
	})
}

// plant is the smallest value in which value lies at the path. Indices beyond a few are taken for others, to stay small.
func plant(segments []any, value any) any {
	for i := len(segments) - 1; i >= 0; i-- {
		switch segment := segments[i].(type) {
		case string:
			value = map[string]any{segment: value}
		case int:
			segment = min(segment, 10)
			segments[i] = segment
			items := make([]any, segment+1)
			items[segment] = value
			value = items
		}
	}
	return value
}
