package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/test/fuzzing"
)

// Objects and patches with all strategies, as bytes decide.
func FuzzPatchStrategies(f *testing.F) {
	for _, seed := range []string{"", "\x00", "0123456789abcdefghijklmnopqrstuvwxyz", "\x02\x04\x00\x01\x03\x02\x01\x00\x07\x06\x05\x04\x03\x02\x01\x00\x0b\x0a\x09\x08\x07\x06\x05\x04"} {
		for which := range uint8(3) {
			f.Add(which, []byte(seed), []byte(seed))
			f.Add(which, []byte(seed), []byte("3210"+seed))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, base, patch []byte) {
		if len(base) > 200 || len(patch) > 200 {
			return // more choices make nothing new, only more of it
		}
		fuzzing.Within(t, func() {
			switch which % 3 {
			case 0:
				wild := (&writer{choices: patch, comments: fuzzComments})
				where := wild.pick([]string{"patch", "patchOutputs: side", "patch"})
				applyPatch(t, (&writer{choices: base}).object(3), wild.pick(fuzzComments)+"\n"+where+": {value: "+wild.object(3)+"}")
			case 1:
				checkMergePatch(t, base, patch)
			case 2:
				checkPatchKey(t, base, patch)
			}
		})
	})
}

// applyPatch applies one trait to two like objects, and gives the first one as JSON, or "" where it was refused.
func applyPatch(t *testing.T, object, trait string) string {
	t.Helper()
	source := "parameter: {...}\noutput: {apiVersion: \"v1\", kind: \"Main\", value: " + object + "}\n" +
		"outputs: side: {apiVersion: \"v1\", kind: \"Side\", value: " + object + "}"
	compiler := NewCompiler(cue.Options{})
	component, err := compiler.Component(defined("web", source))
	if err != nil {
		fuzzing.Refused(t, err, source)
		return ""
	}
	compiled, err := compiler.Trait(definition.Trait{Definition: defined("change", "parameter: {...}\n"+trait)})
	if err != nil {
		fuzzing.Refused(t, err, trait)
		return ""
	}
	made := Request{Type: "web", Component: component, Context: fuzzContext(), Traits: []AppliedTrait{{Type: "change", Definition: compiled}}}
	rendering := fuzzed{Request: made, input: []string{source, trait}}.check(t)
	if rendering == nil {
		return ""
	}
	return encode(t, rendering.Objects[0].Object.Object["value"])
}

// checkMergePatch holds a JSON merge patch against a library that does nothing else.
func checkMergePatch(t *testing.T, base, patch []byte) {
	t.Helper()
	object := (&writer{choices: base, plain: true}).object(3)
	change := (&writer{choices: patch, plain: true}).object(3)
	got := applyPatch(t, object, "// +patchStrategy=jsonMergePatch\npatch: {value: "+change+"}")
	if got == "" {
		return
	}
	want, err := jsonpatch.MergePatch([]byte(cueToJSON(t, object)), []byte(cueToJSON(t, change)))
	if err != nil {
		t.Fatal(err)
	}
	// KubeVela's engine keeps a null that takes out what is not there.
	if !same(withoutNulls(decode(t, string(want))), withoutNulls(decode(t, got))) {
		t.Errorf("a JSON merge patch of %s by %s:\nwant %s\ngot  %s", object, change, want, got)
	}
}

func withoutNulls(value any) any {
	fields, ok := value.(map[string]any)
	if !ok {
		return value
	}
	kept := map[string]any{}
	for key, field := range fields {
		if field != nil {
			kept[key] = withoutNulls(field)
		}
	}
	return kept
}

// checkPatchKey merges two lists of things with names: what was there stays in its order, and what is new comes behind it.
func checkPatchKey(t *testing.T, base, patch []byte) {
	t.Helper()
	before, change := namesFrom(base), namesFrom(patch)
	got := applyPatch(t, "{list: "+thingsOf(before, "a")+"}", "patch: value: {\n// +patchKey=name\nlist: "+thingsOf(change, "b")+"\n}")
	want := slices.Clone(before)
	for _, name := range change {
		if !slices.Contains(want, name) {
			want = append(want, name)
		}
	}
	if got == "" {
		t.Errorf("things %q cannot be patched by %q", before, change)
		return
	}
	var names []string
	list, _ := decode(t, got).(map[string]any)["list"].([]any)
	for _, item := range list {
		fields := item.(map[string]any)
		name := fields["name"].(string)
		names = append(names, name)
		if (fields["a"] != nil) != slices.Contains(before, name) || (fields["b"] != nil) != slices.Contains(change, name) {
			t.Errorf("%q is not put together as it should be: %v", name, fields)
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("things %q patched by %q: want %q, got %q", before, change, want, names)
	}
}

func namesFrom(choices []byte) []string {
	var names []string
	for _, choice := range choices[:min(len(choices), 6)] {
		if name := "n" + strconv.Itoa(int(choice)%8); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func thingsOf(names []string, field string) string {
	var things []string
	for _, name := range names {
		things = append(things, fmt.Sprintf("{name: %q, %s: 1}", name, field))
	}
	return "[" + strings.Join(things, ", ") + "]"
}

// cueToJSON reads what a writer wrote plain, which a component renders as it is.
func cueToJSON(t *testing.T, object string) string {
	t.Helper()
	component, err := NewCompiler(cue.Options{}).Component(defined("web", "output: {apiVersion: \"v1\", kind: \"A\", value: "+object+"}"))
	if err != nil {
		t.Fatal(err)
	}
	rendering, err := Render(Request{Type: "web", Component: component, Context: fuzzContext()})
	if err != nil {
		t.Fatal(err)
	}
	return encode(t, rendering.Objects[0].Object.Object["value"])
}
