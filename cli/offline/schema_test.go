package offline

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// manyParameters are parameters of every kind, in the shape of the KEP.
const manyParameters = `
import "strings"

#Positive: *1 | int & >=1
#Named: {
	// name of it.
	name:  string
	size?: int
}
parameters: {
	// The port.
	// Second line.
	port:     *80 | (int & >=1 & <=65535)
	count:    #Positive & <10
	mode:     *"a" | "b"
	title:    *context.name | string
	word:     strings.MinRunes(3) & =~"^a"
	nothing:  null | string
	list:     *["x"] | [...string]
	things?:  [...#Named]
	byKey?:   [string]: #Named
	either?:  {x: int} | {y: string}
	open?:    {...}
	below?:   < -5
	not?:     !="z"
	known?:   "x" | string
	mixed?:   string | int & >=1
}
outputs: []
`

func TestSchemaTable(t *testing.T) {
	for name, tc := range map[string]struct {
		file, source, kind string
		want               []string
	}{
		"the KEP's shape": {file: "component/thing.cue", source: manyParameters, want: []string{
			"NAME|TYPE|REQUIRED|DEFAULT|CONSTRAINT|DESCRIPTION",
			"port|int|no|80|≥ 1, ≤ 65535|The port. Second line.",
			"count|int|no|1|≥ 1, < 10|-",
			`mode|string|no|"a"|one of "a", "b"|-`,
			"title|string|no|context.name|-|-",
			"word|string|yes|-|length ≥ 3, matches ^a|-",
			"nothing|null or string|yes|-|-|-",
			`list|list of string|no|["x"]|-|-`,
			"things|list of map|no|-|-|-", "things[].name|string|yes|-|-|name of it.", "things[].size|int|no|-|-|-",
			"byKey|map of map|no|-|-|-", "byKey.*|map|no|-|-|-", "byKey.*.name|string|yes|-|-|name of it.", "byKey.*.size|int|no|-|-|-",
			"either|map|no|-|-|-", "either.x|int|yes|-|-|-", "either.y|string|yes|-|-|-",
			"open|map|no|-|-|-",
			"below|number|no|-|< -5|-",
			`not|string|no|-|not "z"|-`,
			"known|string|no|-|-|-",
			"mixed|string or int|no|-|int ≥ 1|-",
		}},
		"KubeVela's shape": {file: "deep/er/thing.cue", source: `"thing": {type: "component"}
template: {
	output: {apiVersion: "v1", kind: "Thing"}
	parameter: {
		// +usage=Which image
		// +short=i
		image: string
	}
}`, want: []string{"NAME|TYPE|REQUIRED|DEFAULT|CONSTRAINT|DESCRIPTION", "image|string|yes|-|-|Which image"}},
		"a trait": {file: "trait/thing/trait.cue", source: `parameter: size: "s" | "l"`, want: []string{
			"NAME|TYPE|REQUIRED|DEFAULT|CONSTRAINT|DESCRIPTION", `size|string|yes|-|one of "s", "l"|-`}},
		"none":       {file: "component/thing.cue", source: "outputs: []", want: []string{"thing has no parameters."}},
		"any labels": {file: "trait/thing.cue", source: "parameter: [string]: string\npatch: {}", want: []string{"NAME|TYPE|REQUIRED|DEFAULT|CONSTRAINT|DESCRIPTION", "*|string|no|-|-|-"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, tc.file, tc.source)
			schema, err := parametersOf(SchemaOptions{Definitions: dir, Name: "thing", Kind: tc.kind})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, printed(t, schema)); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
		})
	}
}

// printed is a table with its columns joined by bars.
func printed(t *testing.T, schema *Schema) []string {
	t.Helper()
	var text strings.Builder
	if err := schema.Print(&text); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(text.String()) {
		var cells []string
		for _, cell := range strings.Split(line, "   ") {
			if cell = strings.TrimSpace(cell); cell != "" {
				cells = append(cells, cell)
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return lines
}

func TestJSONSchema(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "component/thing.cue", manyParameters)
	schema, err := parametersOf(SchemaOptions{Definitions: dir, Name: "thing"})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(encoded, &got); err != nil {
		t.Fatal(err)
	}
	const named = `{"type":"object","properties":{"name":{"type":"string","description":"name of it."},"size":{"type":"integer"}},"required":["name"],"additionalProperties":false}`
	var want map[string]any
	if err := json.Unmarshal([]byte(`{
"$schema":"https://json-schema.org/draft/2020-12/schema","title":"thing","type":"object","additionalProperties":false,
"required":["word","nothing"],
"properties":{
 "port":{"type":"integer","default":80,"minimum":1,"maximum":65535,"description":"The port. Second line."},
 "count":{"type":"integer","default":1,"minimum":1,"exclusiveMaximum":10},
 "mode":{"type":"string","default":"a","enum":["a","b"]},
 "title":{"type":"string"},
 "word":{"type":"string","minLength":3,"pattern":"^a"},
 "nothing":{"anyOf":[{"type":"null","const":null},{"type":"string"}]},
 "list":{"type":"array","default":["x"],"items":{"type":"string"}},
 "things":{"type":"array","items":`+named+`},
 "byKey":{"type":"object","additionalProperties":`+named+`},
 "either":{"type":"object","anyOf":[
  {"type":"object","properties":{"x":{"type":"integer"}},"required":["x"],"additionalProperties":false},
  {"type":"object","properties":{"y":{"type":"string"}},"required":["y"],"additionalProperties":false}]},
 "open":{"type":"object"},
 "below":{"type":"number","exclusiveMaximum":-5},
 "known":{"anyOf":[{"type":"string","const":"x"},{"type":"string"}]},
 "mixed":{"anyOf":[{"type":"string"},{"type":"integer","minimum":1}]},
 "not":{"not":{"const":"z"}, "type":"string"}}}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

func TestSchemaRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "component/broken.cue", "parameters: {a: b}\noutputs: []")
	write(t, dir, "component/conflict.cue", "parameters: {a: int, a: string}\noutputs: []")
	write(t, dir, "component/both.cue", "parameters: {c: int}\noutputs: []")
	write(t, dir, "trait/both.cue", "parameters: {t: int}")
	for name, tc := range map[string]struct {
		options SchemaOptions
		want    string
	}{
		"an unknown name": {SchemaOptions{Name: "none"}, `there is no component "none" in the folder of definitions; there are both, broken, conflict`},
		"an unknown kind": {SchemaOptions{Name: "both", Kind: "step"}, `unknown kind "step": use component or trait`},
		"a reference":     {SchemaOptions{Name: "broken"}, `component definition broken: broken/broken.cue:1:17: parameters.a: reference "b" not found`},
		"a conflict":      {SchemaOptions{Name: "conflict"}, "conflict/conflict.cue:1:"},
	} {
		tc.options.Definitions = dir
		if _, err := parametersOf(tc.options); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %s in it", name, err, tc.want)
		}
	}
	for kind, want := range map[string]string{"": "c", kindTrait: "t"} {
		schema, err := parametersOf(SchemaOptions{Definitions: dir, Name: "both", Kind: kind})
		if err != nil || schema.Properties[want] == nil {
			t.Errorf("kind %q: got %+v, %v, want parameter %s", kind, schema, err, want)
		}
	}
}
