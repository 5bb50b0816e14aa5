package patch

import (
	"encoding/json"
	"reflect"
	"strings"
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
	{`s: {[string]: string, a: "x"}`, `s: b: "y"`},
	{`s: {[string]: string, a: "x"}`, `s: b: 1`},
	{`s: {v?: string, n: 1}, t: {v?: int}`, `s: v: "x"`},
	{`s: {v?: string, n: 1}`, `s: v: 2`},
	{`p: *"TCP" | "UDP", q: *1 | int`, `p: "UDP"`},
	{`p: *"TCP" | "UDP"`, `p: "X"`},
	{`#P: {a: int, b?: string}, p: #P & {a: 1}`, `p: b: "x"`},
	{`#P: {a: int, b?: string}, p: #P & {a: 1}`, `p: c: "x"`},
	{`n: 1.0, m: 1e3, z: -1, big: 12345678901234567890`, `n: 1.0`},
	{`n: 1`, `n: 1.0`},
	{`"if": {for: 1}, "a b": 2`, `"if": {for: 1, let: 2}`},
	{`c: [{name: "a"}]`, `c: [...{image: string | *"i"}]`},
	{`c: [{name: "a"}]`, "// +patchKey=name\nc: [{name: \"b\"}, ...{image: \"i\"}]"},
	{`c: [{name: "a"}]`, "// +patchKey=name\nc: [{name: \"b\"}]"},
	{`list: 1`, "// +patchKey=name\nlist: [{name: \"x\"}]"},
	{`_hidden: 1, a: _hidden`, `b: 2`},
	{`a?: int, b!: string`, `b: "x"`},
}

// FuzzAgreesWithTheEngine compares with KubeVela's own engine, whose rules these are, over two patches one after the other.
func FuzzAgreesWithTheEngine(f *testing.F) {
	for _, pair := range pairs {
		f.Add(pair[0], pair[1], "")
		for _, next := range pairs {
			f.Add(pair[0], pair[1], next[1])
		}
	}
	f.Fuzz(func(t *testing.T, baseText, firstText, secondText string) {
		base := cuecontext.New().CompileString(baseText)
		patches := []cue.Value{cuecontext.New().CompileString(firstText), cuecontext.New().CompileString(secondText)}
		for _, value := range append(patches, base) {
			if value.Validate() != nil {
				return
			}
		}
		want, refused := engineMerge(base, patches)
		got, err := objectMerge(base, patches)
		if refused != (err != nil) || !refused && !sameJSON(t, got, want) {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	})
}

// objectMerge gives the merged object in JSON, in the form that costs least.
func objectMerge(base cue.Value, patches []cue.Value) (string, error) {
	object := NewObject(base)
	for _, patch := range patches {
		if err := object.MergeStrategic(patch); err != nil {
			return "", err
		}
	}
	if plain, ok := object.Plain(); ok {
		encoded, err := json.Marshal(plain)
		return string(encoded), err
	}
	encoded, err := object.Value().MarshalJSON()
	return string(encoded), err
}

// engineMerge gives the merged object in JSON, unless the engine refuses, or breaks down.
func engineMerge(base cue.Value, patches []cue.Value) (merged string, refused bool) {
	defer func() {
		if recover() != nil {
			merged, refused = "", true
		}
	}()
	for _, patch := range patches {
		var err error
		if base, err = sets.StrategyUnify(base, patch); err != nil {
			return "", true
		}
	}
	encoded, err := base.MarshalJSON()
	return string(encoded), err != nil
}

// sameJSON tells whether two texts are the same JSON, digit by digit.
func sameJSON(t *testing.T, texts ...string) bool {
	t.Helper()
	var values []any
	for _, text := range texts {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Errorf("%s is no JSON: %v", text, err)
		}
		values = append(values, value)
	}
	return reflect.DeepEqual(values[0], values[1])
}
