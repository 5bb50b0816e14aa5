package draft

import (
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"

	"wheelwright.dev/wheelwright/shared/patch"
)

func TestFinish(t *testing.T) {
	root := cuecontext.New().CompileString(`
sound: {apiVersion: "v1", kind: "Thing", n: *1 | int, big: 9007199254740993}
open: {apiVersion: "v1", kind: "Thing", n: int}
nameless: {apiVersion: "v1"}`)
	at := func(path string) cue.Value { return root.LookupPath(cue.ParsePath(path)) }

	objects, err := (&Draft{Parts: []Part{{Name: "a", Object: patch.NewObject(at("sound"))}}}).Finish()
	if err != nil {
		t.Fatal(err)
	}
	if got := objects[0].Content.Object; got["n"] != int64(1) || got["big"] != int64(9007199254740993) {
		t.Errorf("got %v", got)
	}
	_, err = (&Draft{Parts: []Part{{Name: "a", Object: patch.NewObject(at("open"))}, {Name: "b", Object: patch.NewObject(at("nameless"))}}}).Finish()
	for _, part := range []string{"open.n: incomplete value int", "the object has no kind"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want %q in it", err, part)
		}
	}
}

func TestSeen(t *testing.T) {
	root := cuecontext.New().CompileString(`sound: {n: *1 | int}, open: {n: int}`)
	drafted := &Draft{Parts: []Part{
		{Name: "a", Object: patch.NewObject(root.LookupPath(cue.ParsePath("sound")))}, {Name: "b", Object: patch.NewObject(root.LookupPath(cue.ParsePath("open")))},
	}}
	if got, err := drafted.Seen(0); err != nil || string(got) != `{"n":1}` {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := drafted.Seen(1); err == nil || !strings.Contains(err.Error(), "open.n: incomplete value int") {
		t.Errorf("got %v", err)
	}
}
