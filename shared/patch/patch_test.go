package patch

import (
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
)

func TestMerge(t *testing.T) {
	root := cuecontext.New().CompileString(`
base: {a: *1 | int, list: [{name: "x", v: 1}]}
plain: {a: 2}
// +patchStrategy=jsonMergePatch
whole: {list: null}
none: {}`)
	at := func(path string) cue.Value { return root.LookupPath(cue.ParsePath(path)) }
	for name, tc := range map[string]struct {
		merge func(*Object, cue.Value) error
		patch string
		want  string
	}{
		"a default gives way":              {(*Object).Merge, "plain", `{"a":2,"list":[{"name":"x","v":1}]}`},
		"nothing":                          {(*Object).Merge, "none", `{"a":1,"list":[{"name":"x","v":1}]}`},
		"a strategy on the whole":          {(*Object).Merge, "whole", `{"a":1}`},
		"which counts in one of them only": {(*Object).MergeStrategic, "whole", ""},
	} {
		object := NewObject(at("base"))
		err := tc.merge(&object, at(tc.patch))
		merged := object.Value()
		if tc.want == "" {
			if err == nil {
				t.Errorf("%s: merged to %v", name, merged)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := merged.MarshalJSON(); err != nil || string(got) != tc.want {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
	nothing := NewObject(at("nothing"))
	if err := nothing.Merge(at("plain")); err == nil {
		t.Error("nothing was patched")
	}
}
