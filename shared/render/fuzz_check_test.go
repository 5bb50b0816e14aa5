package render

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/test/fuzzing"
)

// fuzzed is a request that came from a fuzzer, and the texts that it was made of.
type fuzzed struct {
	Request
	input []string
}

// check renders twice and judges, and holds what comes out against what must always be so. It gives the rendering, or nil
// where the request was refused.
func (f fuzzed) check(t *testing.T) *Rendering {
	t.Helper()
	given := f.snapshot(t)
	first, err := Render(f.Request)
	second, again := Render(f.Request)
	if textOf(err) != textOf(again) {
		t.Errorf("rendered twice:\n%v\n%v", textOf(err), textOf(again))
	}
	if err != nil {
		fuzzing.Refused(t, err, f.input...)
	}
	if after := f.snapshot(t); after != given {
		t.Errorf("rendering changed its input:\nbefore %s\nafter  %s", given, after)
	}
	if err != nil || again != nil {
		return nil
	}
	if one, other := encode(t, first.Objects), encode(t, second.Objects); one != other {
		t.Errorf("rendered twice:\n%s\n%s", one, other)
	}
	checkObjects(t, first.Objects)
	f.judge(t, first)
	return first
}

// judge judges over the objects as they were rendered, as if nothing had a status yet, and then with one.
func (f fuzzed) judge(t *testing.T, rendering *Rendering) {
	t.Helper()
	status := map[string]any{"readyReplicas": 1, "replicas": 1, "succeeded": 1}
	live := f.Context
	f.judgeOver(t, rendering, live)
	live.Outputs, live.Status = map[string]map[string]any{}, map[string]map[string]any{}
	for _, object := range rendering.Objects {
		content := object.Object.DeepCopy().Object
		content["status"] = status
		live.Outputs[object.Name], live.Status[object.Name] = content, status
	}
	f.judgeOver(t, rendering, live)
}

func (f fuzzed) judgeOver(t *testing.T, rendering *Rendering, live cue.Context) {
	t.Helper()
	before := encode(t, live)
	judgement, err := rendering.Judge(live)
	again, errAgain := rendering.Judge(live)
	if err != nil {
		fuzzing.Refused(t, err, f.input...)
	}
	if textOf(err) != textOf(errAgain) || encodeJudgement(t, judgement) != encodeJudgement(t, again) {
		t.Errorf("judged twice:\n%+v, %v\n%+v, %v", judgement, err, again, errAgain)
	}
	if !judgement.Healthy && judgement.Exports != nil {
		t.Errorf("exports of what is not healthy: %v", judgement.Exports)
	}
	if judgement.ExportsError != nil {
		fuzzing.Refused(t, judgement.ExportsError, f.input...)
	}
	if _, err := rendering.JudgeTraits(live); err != nil {
		fuzzing.Refused(t, err, f.input...)
	}
	if added, err := rendering.After(live); err != nil {
		fuzzing.Refused(t, err, f.input...)
	} else {
		checkObjects(t, append(append([]Object{}, rendering.Objects...), added...))
	}
	if after := encode(t, live); after != before {
		t.Errorf("judging changed what is live:\nbefore %s\nafter  %s", before, after)
	}
}

// snapshot is everything in the request that a caller may still hold.
func (f fuzzed) snapshot(t *testing.T) string {
	t.Helper()
	held := []any{f.Context, string(f.Properties)}
	for _, trait := range f.Traits {
		held = append(held, trait.Type, string(trait.Properties))
	}
	return encode(t, held)
}

// checkObjects holds objects against what every API server and tracker asks of them.
func checkObjects(t *testing.T, objects []Object) {
	t.Helper()
	names, identities := map[string]bool{}, map[string]int{}
	for i, object := range objects {
		if names[object.Name] {
			t.Errorf("two outputs have the name %q", object.Name)
		}
		names[object.Name] = true
		if wrong := validation.IsValidLabelValue(object.Name); len(wrong) > 0 || object.Name == "" {
			t.Errorf("output name %q is no label: %v", object.Name, wrong)
		}
		content := object.Object
		if content.GetKind() == "" || content.GetName() == "" {
			t.Errorf("output %q lacks a kind or a name: %v", object.Name, content.Object)
		}
		if before, ok := identities[identity(content)]; ok && !objects[before].Replaced {
			t.Errorf("outputs %q and %q are one object", objects[before].Name, object.Name)
		}
		identities[identity(content)] = i
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func encode(t *testing.T, value any) string {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Errorf("it is not JSON: %v", err)
	}
	return string(encoded)
}

func encodeJudgement(t *testing.T, judgement cue.Judgement) string {
	t.Helper()
	wrong := textOf(judgement.ExportsError)
	judgement.ExportsError = nil
	return encode(t, judgement) + wrong
}

// defined is a definition of one file, or of two where the text has a line of dashes.
func defined(name, source string) definition.Definition {
	return definition.Definition{Name: name, Files: filesOf(source)}
}
