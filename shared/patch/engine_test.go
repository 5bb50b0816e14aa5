package patch

import (
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"github.com/kubevela/workflow/pkg/cue/model/sets"
)

// pairs are objects and patches that between them use every strategy, also where it does not fit.
var pairs = [][2]string{
	{`a: 1, b: c: "x"`, `b: d: "y"`},
	{`a: 1`, `a: 2`},
	{`list: [{name: "x", v: 1}, {name: "y"}]`, "// +patchKey=name\nlist: [{name: \"y\", w: 2}, {name: \"z\"}]"},
	{`list: [{ref: name: "x"}, {other: name: "y"}]`, "// +patchKey=ref.name,other.name\nlist: [{other: name: \"y\", v: 1}, {ref: name: \"z\"}]"},
	{`list: [{name: "x", v: 1}]`, "// +patchKey=name\n// +patchStrategy=retainKeys\nlist: [{name: \"x\", w: 2}]"},
	{`list: [{name: "x"}], m: list: [{id: 1}]`, "// +patchKey=id\nm: {list: [{id: 1, v: 2}], more: [{id: 3}]}"},
	{`list: [{name: "x"}]`, "// +patchKey=name\nlist: [{name: \"y\"}, {name: \"y\", v: 1}]"},
	{`list: [{name: "x"}]`, "// +patchKey=name\nlist: [{name: string | *\"x\", v: 1}]"},
	{`list: [{name: "x"}]`, "// +patchKey=name\nlist: [{v: 1}]"},
	{`list: [{name: "x"}]`, "// +patchKey=name\nlist: []"},
	{`list: [{name: string}]`, "// +patchKey=name\nlist: [{name: \"x\"}]"},
	{`spec: {a: 1, b: 2}`, "// +patchStrategy=retainKeys\nspec: {c: 3}"},
	{`spec: {a: 1}`, "spec: {\n// +patchStrategy=retainKeys\na: 2}"},
	{`a: 1`, "// +patchStrategy=retainKeys\na: 2"},
	{`args: ["a", "b"]`, "// +patchStrategy=replace\nargs: [\"c\"]"},
	{`args: ["a", "b"]`, `args: ["a"]`},
	{`args: ["a"]`, `args: ["a", "b"]`},
	{`args: ["a"]`, `args: ["b"]`},
	{`a: *1 | int, b: a`, `a: 2`},
	{`#D: {a: int}, d: close({a: 1, list: [{name: "x"}]})`, "d: close({\n// +patchKey=name\nlist: [{name: \"x\", v: 1}]})"},
	{`c: [{name: "a", env: [{name: "E", value: "1"}]}]`, "// +patchKey=name\nc: [{name: \"a\", env: [{name: \"E\", value: \"2\"}]}]"},
	{`c: [{name: "a", env: [{name: "E", value: "1"}]}]`, "// +patchKey=name\nc: [{name: \"a\",\n// +patchStrategy=retainKeys\nenv: [{name: \"E\", value: \"2\"}]}]"},
	{`c: [{name: "a"}, {name: "b"}]`, `c: [...{image: "i"}]`},
	{`"quoted-key": [{name: "x"}]`, "// +patchKey=name\n\"quoted-key\": [{name: \"x\", v: 1}]"},
	{`import "strings"
a: strings.ToUpper("x")`, `b: 1`},
	{`list: 1`, "// +patchKey=name\nlist: [{name: \"x\"}]"},
	{`_hidden: 1, a: _hidden`, `b: 2`},
	{`a?: int, b!: string`, `b: "x"`},
}

// FuzzAgreesWithTheEngine compares with KubeVela's own engine, whose rules these are.
func FuzzAgreesWithTheEngine(f *testing.F) {
	for _, pair := range pairs {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, baseText, patchText string) {
		base, patch := cuecontext.New().CompileString(baseText), cuecontext.New().CompileString(patchText)
		if base.Validate() != nil || patch.Validate() != nil {
			return
		}
		want, refused := engineMerge(base, patch)
		merged, err := MergeStrategic(base, patch)
		if refused {
			if encoded, jsonErr := merged.MarshalJSON(); err == nil && jsonErr == nil {
				t.Errorf("merged to %s what the engine refuses", encoded)
			}
			return
		}
		got, jsonErr := []byte(nil), error(nil)
		if err == nil {
			got, jsonErr = merged.MarshalJSON()
		}
		if err != nil || jsonErr != nil || string(got) != want {
			t.Errorf("got %s, %v, %v, want %s", got, err, jsonErr, want)
		}
	})
}

// engineMerge gives the merged object, unless the engine refuses, or breaks down.
func engineMerge(base, patch cue.Value) (merged string, refused bool) {
	defer func() {
		if recover() != nil {
			merged, refused = "", true
		}
	}()
	value, err := sets.StrategyUnify(base, patch)
	if err != nil {
		return "", true
	}
	encoded, err := value.MarshalJSON()
	return string(encoded), err != nil || value.Validate(cue.Concrete(true)) != nil
}
