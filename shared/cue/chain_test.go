package cue

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// thing is an object of a test, with what follows its kind.
func thing(rest string) string {
	return `{apiVersion: "v1", kind: "T", metadata: name: "x", ` + rest + `}`
}

// live is a context in which output db has a status and a spec.
func live(status map[string]any) Context {
	return Context{
		Name: "web", Namespace: "shop",
		Outputs: map[string]map[string]any{"db": {"status": status}, "my-db": {"status": status}},
		Status:  map[string]map[string]any{"db": status},
	}
}

func TestOutputsWaitForWhatTheyRead(t *testing.T) {
	full := map[string]any{"host": "h", "port": 1, "list": []any{"a"}, "ready": true}
	const missing = "context.outputs.db.status.host"
	for name, tc := range map[string]struct {
		// head stands before the outputs, and value is that of output app.
		head, value string
		// waits is what app waits for while the status is empty; it is rendered when the status is full.
		waits []string
	}{
		"a field":                     {"", "v: context.outputs.db.status.host", []string{missing}},
		"a name in brackets":          {"", `v: context.outputs["db"].status.host`, []string{`context.outputs["db"].status.host`}},
		"a name that needs them":      {"", `v: context.outputs["my-db"].status.host`, []string{`context.outputs["my-db"].status.host`}},
		"context.status":              {"", "v: context.status.db.host", []string{"context.status.db.host"}},
		"within a text":               {"", `v: "http://\(context.outputs.db.status.host):80"`, []string{missing}},
		"within a call":               {`import "strings"`, "v: strings.ToUpper(context.outputs.db.status.host)", []string{missing}},
		"within a sum":                {"", "v: context.outputs.db.status.port + 1", []string{"context.outputs.db.status.port"}},
		"under a condition":           {"", "if context.outputs.db.status.ready {v: 1}", []string{"context.outputs.db.status.ready"}},
		"a list":                      {"", "v: [for x in context.outputs.db.status.list {x}]", []string{"context.outputs.db.status.list"}},
		"an item":                     {"", "v: context.outputs.db.status.list[0]", []string{"context.outputs.db.status.list[0]"}},
		"by way of a field":           {"_db: context.outputs.db", "v: _db.status.host", []string{missing}},
		"by way of a let":             {"let db = context.outputs.db.status", "v: db.host", []string{missing}},
		"by way of two":               {"let c = context\nlet db = c.outputs.db", "v: db.status.host", []string{missing}},
		"by way of an expression":     {`_url: "http://\(context.outputs.db.status.host)"`, "v: _url", []string{missing}},
		"by way of the whole context": {"let all = context.outputs", "v: all.db.status.host", []string{missing}},
		"two things":                  {"", "v: context.outputs.db.status.host, w: context.status.db.port", []string{missing, "context.status.db.port"}},
		"one thing twice":             {"", "v: context.outputs.db.status.host, w: context.outputs.db.status.host", []string{missing}},
		"with a default":              {"", `v: *context.outputs.db.status.host | "none"`, nil},
		"asked whether it is there":   {"", "if context.outputs.db.status.host != _|_ {v: context.outputs.db.status.host}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			template := compile(t, tc.head+"\nparameters: {}\noutputs: [{name: \"app\", value: "+thing(tc.value)+"}, {name: \"db\", value: "+strings.Replace(thing(""), `"x"`, `"db"`, 1)+"}]")
			if names, all := template.Reads(); len(names) != 1 || all {
				t.Errorf("reads %v, all=%v, want one name", names, all)
			}
			outputs, err := template.Render(live(map[string]any{}), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, reference := range outputs[0].Waits {
				got = append(got, reference.Path)
			}
			if diff := cmp.Diff(tc.waits, got); diff != "" {
				t.Errorf("waits for (-want +got):\n%s", diff)
			}
			if outputs[1].Object == nil || (outputs[0].Object == nil) != (tc.waits != nil) {
				t.Errorf("rendered %+v", outputs)
			}
			if nothing, err := template.Render(Context{Name: "web"}, nil); err != nil || len(nothing) != 2 {
				t.Errorf("before anything is live: %+v, %v", nothing, err)
			}
			filled, err := template.Render(live(full), nil)
			if err != nil || len(filled) != 2 || filled[0].Object == nil {
				t.Errorf("with all that it waits for: %+v, %v", filled, err)
			}
		})
	}
}

// What may or may not be there does not keep the others from being there.
func TestConditionalOutputsWaitAlone(t *testing.T) {
	template := compile(t, `
parameters: {}
outputs: [
	if context.outputs.db.status.ready {{name: "first", value: {apiVersion: "v1", kind: "A"}}},
	for host in context.outputs.db.status.list {{name: host, value: {apiVersion: "v1", kind: "B", metadata: name: host}}},
	{name: "db", value: {apiVersion: "v1", kind: "C"}},
	{name: context.outputs.db.status.host, value: {apiVersion: "v1", kind: "D"}},
	context.outputs.db.status.entry,
	{name: "end", value: {apiVersion: "v1", kind: "E"}},
]`)
	names := func(context Context) string {
		outputs, err := template.Render(context, nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, output := range outputs {
			if output.Object == nil {
				output.Name = "(" + output.Name + ")"
			}
			names = append(names, output.Name)
		}
		return strings.Join(names, " ")
	}
	if got, want := names(live(map[string]any{})), "(first) (outputs[1]) db (outputs[3]) (outputs[4]) end"; got != want {
		t.Errorf("with nothing there: got %q, want %q", got, want)
	}
	if got, want := names(live(map[string]any{"ready": false, "list": []any{"a", "b"}, "host": "h",
		"entry": map[string]any{"name": "made", "value": map[string]any{"apiVersion": "v1", "kind": "F"}}})), "a b db h made end"; got != want {
		t.Errorf("with all there: got %q, want %q", got, want)
	}
}

func TestWaitingIsNoExcuse(t *testing.T) {
	const reads = "v: context.outputs.db.status.host"
	for name, tc := range map[string]struct {
		outputs string
		want    []string
	}{
		"a conflict": {`[{name: "a", value: ` + thing(reads+", x: 1 & 2") + `}]`, []string{
			`webservice/template.cue:3:119: outputs[0].value.x: conflicting values 2 and 1`}},
		"something else that is missing": {`[{name: "a", value: ` + thing(reads+", x: string") + `}]`, []string{
			`webservice/template.cue:3:119: outputs[0].value.x: incomplete value string`}},
		"another output's fault": {`[{name: "a", value: ` + thing(reads) + `}, {name: "b", value: kind: "B"}]`, []string{
			`webservice/template.cue:3:130: outputs[1].value: the object has no apiVersion`}},
		"a value of another type": {`[{name: "a", value: ` + thing("v: context.outputs.my.status.host & int") + `}]`, []string{
			`webservice/template.cue:3:117: outputs[0].value.v: conflicting values int and "x" (mismatched types int and string)`}},
		"two that wait for each other": {`[{name: "a", value: ` + thing("v: context.outputs.b.x") + `}, {name: "b", value: ` + thing("v: context.status.c.x") + `}, {name: "c", value: ` + thing("v: context.outputs.b.x") + `}]`, []string{
			`webservice/template.cue:3:107: b: outputs read each other's live objects and none can be rendered first: b reads c reads b`}},
		"one that waits for itself": {`[{name: "a", value: ` + thing("v: context.outputs.a.x") + `}]`, []string{
			`webservice/template.cue:3:11: a: output a reads its own live object and cannot be rendered before it is there: say what holds until then, as *context.outputs... | ""`}},
		"no list": {`{a: context.outputs.db}`, []string{`webservice/template.cue:3:1: outputs: outputs must be a list of {name, value}`}},
	} {
		t.Run(name, func(t *testing.T) {
			template := compile(t, "\nparameters: {}\noutputs: "+tc.outputs)
			context := Context{Name: "web", Outputs: map[string]map[string]any{"my": {"status": map[string]any{"host": "x"}}}}
			_, err := template.Render(context, nil)
			wantProblems(t, err, tc.want)
		})
	}
}

// Health and exports read what is live of everything; that is no order among the outputs.
func TestOnlyOutputsMakeAChain(t *testing.T) {
	for source, want := range map[string]string{
		`outputs: []` + "\nisHealthy: context.outputs.a.status.x\nexports: x: context.status.b.x":   "[] false",
		`outputs: [{name: "a", value: {x: context.outputs.b.x, y: context.status["c"].y}}]`:         "[b c] false",
		`parameters: of: string` + "\n" + `outputs: [{value: x: context.outputs[parameters.of].x}]`: "[] true",
		`outputs: [for name, object in context.outputs {name: name}]`:                               "[] true",
		"_unused: context.outputs.a\noutputs: []":                                                   "[] false",
		"_a: x: {y: _b}\n_b: context.outputs.a.z\noutputs: [{value: _a}]":                           "[a] false",
	} {
		names, all := compile(t, source).Reads()
		if got := fmt.Sprint(names, all); got != want {
			t.Errorf("%s: got %s, want %s", source, got, want)
		}
	}
}

func TestFindCircle(t *testing.T) {
	for want, edges := range map[string]map[string][]string{
		"":      {"a": {"b", "c"}, "b": {"c"}, "c": {"none"}},
		"a":     {"a": {"a"}},
		"b c":   {"a": {"b"}, "b": {"c"}, "c": {"b"}},
		"a b c": {"a": {"b"}, "b": {"c"}, "c": {"a"}},
	} {
		if got := FindCircle(edges); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("in %v: got %v, want %s", edges, got, want)
		}
	}
}
