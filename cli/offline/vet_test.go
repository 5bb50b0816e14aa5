package offline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// good is a definition that has nothing wrong with it; each case says what is put in its place.
const good = `parameters: {image: string, replicas: *1 | int}
outputs: [{
	name: "workload"
	value: {apiVersion: "v1", kind: "Thing", spec: {image: parameters.image, replicas: parameters.replicas}}
	statusPaths: [{name: "ready", path: ".status.ready"}]
}]
isHealthy: context.status.workload.ready >= 1
`

func TestVet(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"nothing": {map[string]string{"component/a.cue": good, "trait/t/t.cue": "parameters: x: int\noutputs: [{name: \"o\", value: {apiVersion: \"v1\", kind: \"T\", x: parameters.x}}]"}, nil},
		"all files at once": {map[string]string{"component/b.cue": "outputs: [", "component/a/x.cue": "a: {", "component/a/y.cue": "b: }"}, []string{
			"component/a/x.cue:1:5: expected '}', found 'EOF'",
			"component/a/y.cue:1:4: expected operand, found '}'",
			"component/b.cue:1:11: expected ']', found 'EOF'",
		}},
		"a conflict that no parameter changes": {map[string]string{"component/a.cue": good + "message: 1 & \"x\"\n"}, []string{
			`component/a.cue:8:10: message: conflicting values 1 and "x" (mismatched types int and string)`}},
		"a reference": {map[string]string{"component/a.cue": good + "message: nothing\n"}, []string{
			`component/a.cue:8:10: message: reference "nothing" not found`}},
		"no outputs": {map[string]string{"component/a.cue": "parameters: {}"}, []string{
			"component/a.cue: the definition declares no outputs: add outputs: [{name: ..., value: {...}}] to one of its files"}},
		"files that hold no definition": {map[string]string{
			"lost.cue": "a: 1", "component/a/deep/x.cue": "a: 1", "component/a/a.cue": good, "broken.cue": "a: {", "component/empty/README.md": "",
			"step/s.cue": "anything: 1", "a_test.cue": "a: {", "policy.cue": "p: {type: \"policy\"}\ntemplate: {}",
		}, []string{
			"broken.cue:1:5: expected '}', found 'EOF'",
			"component/a/deep/x.cue: the file belongs to no definition: those of one lie in component/a itself, not below it",
			"component/empty: the folder holds no definition: it has no .cue file that is not a test",
			`lost.cue: the file holds no definition: move it to component/<name>/ or trait/<name>/, or give it a header, "name": {type: "component"}, and template: {...}`,
		}},
		"cases of no definition": {map[string]string{"component/a.cue": good, "component/a.tests/x.yaml": "", "component/b.tests/x.yaml": ""}, []string{
			"component/b.tests: the cases are of no definition: there is no component/b.cue beside them"}},
		"what is well once parameters are given": {map[string]string{"component/a.cue": `import "list"
parameters: {
	names: [...string] & list.MinItems(1)
	ports: [...{port: int}]
	per: *0 | int
	extended: *false | bool
	if extended {extra: string}
	inner?: {a?: string}
}
let given = parameters.names
outputs: [{
	name: "a"
	value: {
		apiVersion: "v1", kind: "T", first: given[0], port: parameters.ports[0].port, share: 100 div parameters.per
		largest: list.Max([for p in parameters.ports {p.port}])
		if parameters.extended {extra: parameters.extra}
		if parameters.inner.a != _|_ {inner: parameters.inner.a}
	}
}]
isHealthy: context.status.a.conditions[0].type == "Ready"
`}, nil},
		"one name twice": {map[string]string{"component/a/a.cue": good, "component/a.cue": good}, []string{
			`component/a.cue: component "a" is defined already, in component/a`}},
		"outputs": {map[string]string{"component/a.cue": `outputs: [
	{value: {apiVersion: "v1", kind: "T"}},
	{name: "b"},
	{name: "c", value: {kind: "T"}},
	{name: "c", value: {apiVersion: "v1", kind: "T", metadata: name: "other"}},
	{name: "d", value: {apiVersion: "v1"}, statusPaths: [{name: "x", path: "a b"}, {name: "y"}]},
	if context.name == "x" {name: "e", value: {apiVersion: "v1", kind: "T"}},
	if context.name != "x" {name: "e", value: {apiVersion: "v1", kind: "T"}},
	for n in ["x", "y"] {name: n, value: #T & {kind: "T"}},
]
#T: {apiVersion: "v1", ...}
`}, []string{
			`component/a.cue:2:2: the output has no name: add name: "..."`,
			"component/a.cue:3:2: b: the output has no value, the Kubernetes object to apply: add value: {apiVersion: ..., kind: ...}",
			"component/a.cue:4:2: c: the object has no apiVersion",
			"component/a.cue:5:2: c: an output of this name is there already, at line 4: names must be unique",
			"component/a.cue:6:2: d: the object has no kind",
			`component/a.cue:6:55: d: path "a b" cannot be read at " b": write it as .status.readyReplicas, .status.ingress[0].ip or .metadata.labels['a.b/c']`,
			"component/a.cue:6:81: d: each of statusPaths needs a name and a path",
		}},
		"parameters": {map[string]string{"component/a.cue": `parameters: {
	image: string
	unused: *1 | int
	inner: {a: int}
	base: string
	name: *base | string
}
outputs: [{name: "a", value: {apiVersion: "v1", kind: "T", spec: {
	image: parameters.imgae
	a: parameters.inner.b, n: parameter.name, i: context.parameters.image
	nested: {parameters: {own: 1}, o: parameters.own}
}}}]
`}, []string{
			`component/a.cue:3:2: parameter "unused" is declared and nothing reads it: use it or take it out`,
			`component/a.cue:9:9: parameter "imgae" is read and not declared: declared are base, image, inner, name, unused`,
			`component/a.cue:10:5: parameter "inner.b" is read and not declared: declared are a`,
		}},
		"parameters read as a whole, or left open": {map[string]string{
			"component/a.cue": "parameters: {a: int, [string]: int}\noutputs: [{name: \"a\", value: {apiVersion: \"v1\", kind: \"T\", b: parameters.b, all: parameters}}]",
			"component/b.cue": "parameters: {a: int}\noutputs: [for k, v in parameters {name: k, value: {apiVersion: \"v1\", kind: \"T\"}}]",
		}, nil},
		"parameters that a trait reads": {map[string]string{
			"component/a.cue": "parameters: {a: int}\noutputs: [{name: \"a\", value: {apiVersion: \"v1\", kind: \"T\"}}]",
			"trait/t.cue":     "outputs: [{name: \"t\", value: {apiVersion: \"v1\", kind: \"T\", a: context.parameters.a}}]",
		}, nil},
		"status": {map[string]string{"component/a.cue": good + `message: "\(context.status.worklaod.ready)"
exports: {a: context.status.workload.address, b: context.status["workload"].ready}
`}, []string{
			`component/a.cue:8:13: context.status.worklaod: there is no output "worklaod": there are workload`,
			`component/a.cue:9:14: context.status.workload.address: output "workload" has no statusPath of the name "address": add {name: "address", path: ...} to its statusPaths; there are ready`,
		}},
		"status without statusPaths, which is all of it": {map[string]string{"component/a.cue": `outputs: [{name: "a", value: {apiVersion: "v1", kind: "T"}}]
isHealthy: context.status.a.anything == 1`}, nil},
		"status that a trait reads": {map[string]string{"component/a.cue": good,
			"trait/t.cue": "phase: \"post\"\nappliesTo: [\"a\"]\noutputs: [{name: \"t\", value: {apiVersion: \"v1\", kind: \"T\", a: context.status.workload.ip}}]"}, []string{
			`trait/t.cue:3:63: context.status.workload.ip: output "workload" of component a has no statusPath of the name "ip": add {name: "ip", path: ...} to its statusPaths; there are ready`}},
		"KubeVela's shape": {map[string]string{"x.cue": `"x": {type: "component", attributes: status: healthPolicy: #"isHealth: context.outputs.svc.ok && parameter.health"#}
template: {
	parameter: {health: bool, unused: int}
	output: {apiVersion: "v1"}
	outputs: {service: {apiVersion: "v1", kind: "S", p: parameter.none}, if parameter.health {more: {kind: "x"}}}
}`}, []string{
			"x.cue:3:28: parameter \"unused\" is declared and nothing reads it: use it or take it out",
			"x.cue:4:10: output: the object has no kind",
			`x.cue:5:54: parameter "none" is read and not declared: declared are health, unused`,
			"x.cue healthPolicy:1:11: context.outputs.svc: the definition declares no such output: there are more, output, service",
		}},
		"a composition": {map[string]string{"component/a.cue": `parameters: n: int
let db = context.outputs.db
outputs: [
	{name: "db", type: "component", value: {type: "postgres", properties: n: parameters.n}},
	{name: "app", value: {apiVersion: "v1", kind: "T", host: db.status.exports.host, own: *context.outputs.app.status.own | ""}},
	if context.status.db.ready {{name: "last", type: "component", value: {definition: "x", parameters: {}}}},
]`}, nil},
		"components that cannot be made": {map[string]string{"component/a.cue": `parameters: {}
outputs: [
	{name: "a", type: "component", value: {typ: "x", traits: []}},
	{name: "b", type: "component", value: {type: "x", definition: "y", propertes: {}}},
	{name: "c", type: "component", value: {type: "No Name"}},
	{name: "d", type: "component"},
	{name: "e", type: "component", value: {definition: "x", parameters: {y: parameters.y}}},
]`}, []string{
			"component/a.cue:3:40: a: a component needs a type, the name of its definition",
			"component/a.cue:3:46: a: unknown field typ: did you mean type? a component has type, properties and traits, or definition and parameters",
			`component/a.cue:4:47: b: type says the same as definition: keep one of them`,
			"component/a.cue:4:80: b: unknown field propertes: did you mean properties? a component has type, properties and traits, or definition and parameters",
			`component/a.cue:5:47: c: type "No Name" names no definition: write the name of a ComponentDefinition, such as webservice, or its API line and name, such as v1/webservice`,
			"component/a.cue:6:2: d: the output has no value, the Kubernetes object to apply: add value: {apiVersion: ..., kind: ...}",
			"component/a.cue:7:58: parameters: within parameters: {...} the name parameters means that field itself: write context.parameters, or properties: {...}",
		}},
		"a circle of outputs": {map[string]string{"component/a.cue": `_of: context.status.a.x
outputs: [
	{name: "a", value: {apiVersion: "v1", kind: "T", metadata: name: "a", x: context.outputs.b.x}},
	{name: "b", value: {apiVersion: "v1", kind: "T", metadata: name: "b", x: _of}},
]`}, []string{
			"component/a.cue:3:2: a: outputs read each other's live objects and none can be rendered first: a reads b reads a"}},
		"a live object of no output": {map[string]string{"component/a.cue": `outputs: [
	{name: "db", value: {apiVersion: "v1", kind: "T"}},
	{name: "app", value: {apiVersion: "v1", kind: "U", x: context.outputs["dbb"].status.x, y: context.status.none.x}},
]
isHealthy: context.outputs.ap.x`}, []string{
			`component/a.cue:3:56: context.outputs.dbb: there is no output "dbb": there are app, db`,
			`component/a.cue:3:92: context.status.none: there is no output "none": there are app, db`,
			`component/a.cue:5:12: context.outputs.ap: there is no output "ap": there are app, db`}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range tc.files {
				write(t, dir, file, content)
			}
			if diff := cmp.Diff(tc.want, vetText(t, dir)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVetExamples(t *testing.T) {
	for _, dir := range []string{examples, "../../examples/quickstart/definitions"} {
		if got := vetText(t, dir); got != nil {
			t.Errorf("%s: %q", dir, got)
		}
	}
	if _, _, err := bench.Vet(t.Context(), "not-there"); err == nil {
		t.Error("a folder that is not there is not refused")
	}
}

func vetText(t *testing.T, dir string) []string {
	t.Helper()
	problems, _, err := bench.Vet(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, problem := range problems {
		lines = append(lines, problem.String())
	}
	return lines
}
