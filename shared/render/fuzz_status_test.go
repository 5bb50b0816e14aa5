package render

import (
	"encoding/json"
	"testing"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/test/fuzzing"
)

// Any text as health, message and exports in both shapes, over any live objects.
func FuzzStatus(f *testing.F) {
	for _, live := range []string{`{}`, `{"ready":2}`, `{"status":{"ready":2,"conditions":[{"type":"Ready","status":"True"}]}}`, `[]`, `{"ready":1e999}`} {
		seeds(f, func(text string) { f.Add(text, live) }, "testdata/status/*.cue")
	}
	f.Fuzz(func(t *testing.T, expressions, live string) {
		fuzzing.Within(t, func() {
			for _, source := range []string{shop + secondFile + expressions, v1WithHealth(t, expressions)} {
				component, err := NewCompiler(cue.Options{}).Component(defined("web", source))
				if err != nil {
					fuzzing.Refused(t, err, expressions)
					continue
				}
				made := fuzzed{Request: Request{Type: "web", Component: component, Properties: []byte(`{"image":"a"}`), Context: fuzzContext()},
					input: []string{expressions, live}}
				if rendering := made.check(t); rendering != nil {
					made.judgeOver(t, rendering, liveContext(rendering, live))
				}
			}
		})
	})
}

// v1WithHealth is a component of KubeVela's shape with the same text as its policy and as its message.
func v1WithHealth(t *testing.T, text string) string {
	quoted := encode(t, text)
	return pod + "\nstatus: {healthPolicy: " + quoted + ", customStatus: " + quoted + "}\n"
}

// liveContext has one value as every object and as every status.
func liveContext(rendering *Rendering, live string) cue.Context {
	context := fuzzContext()
	context.Outputs, context.Status = map[string]map[string]any{}, map[string]map[string]any{}
	for _, object := range rendering.Objects {
		var seen map[string]any
		if json.Unmarshal([]byte(live), &seen) == nil && seen != nil {
			context.Outputs[object.Name], context.Status[object.Name] = seen, seen
		}
	}
	return context
}
