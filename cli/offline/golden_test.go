package offline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// thing is a definition for cases to render.
const thing = `parameters: {size: *1 | int, big?: int}
outputs: [{
	name: "workload"
	value: {apiVersion: "v1", kind: "Thing", spec: {size: parameters.size, if parameters.big != _|_ {big: parameters.big}}}
	statusPaths: [{name: "ready", path: ".status.ready"}]
}]
isHealthy: context.status.workload.ready >= parameters.size
message: "\(context.status.workload.ready) ready"
exports: ready: context.status.workload.ready
`

const outputsOfThing = `  outputs:
  - apiVersion: v1
    kind: Thing
    metadata:
      name: example
    spec:
      size: 1
`

func TestGoldenCases(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"as expected":       {"expect:\n" + outputsOfThing, nil},
		"status":            {"status: {workload: {ready: 1}}\nexpect: {healthy: true, message: 1 ready, exports: {ready: 1}}", nil},
		"no objects wanted": {"expect: {outputs: []}", []string{"- []", "+ - apiVersion: v1"}},
		"nothing live":      {"expect: {healthy: false}", nil},
		"an error":          {"properties: {size: x}\nexpect: {error: 'parameter \"size\": got string \"x\"'}", nil},
		"a name":            {"context: {name: other}\nexpect: {outputs: [{apiVersion: v1, kind: Thing, metadata: {name: other}, spec: {size: 1}}]}", nil},
		"a large number":    {"properties: {big: 9007199254740993}\nexpect: {outputs: [{apiVersion: v1, kind: Thing, metadata: {name: example}, spec: {size: 1, big: 9007199254740993}}]}", nil},
		"another number":    {"properties: {big: 9007199254740993}\nexpect: {outputs: [{apiVersion: v1, kind: Thing, metadata: {name: example}, spec: {size: 1, big: 9007199254740992}}]}", []string{"- ", "9007199254740992", "+ ", "9007199254740993"}},
		"another value":     {"properties: {size: 2}\nexpect:\n" + outputsOfThing, []string{"outputs (-want +got):", "-     size: 1", "+     size: 2", "… 2 unchanged"}},
		"all that differs":  {"status: {workload: {ready: 1}}\nexpect: {healthy: false, message: none, exports: {ready: 2}}", []string{"healthy (-want +got):\n- false\n+ true", "message (-want +got):\n- none\n+ 1 ready", "exports (-want +got):\n- ready: 2\n+ ready: 1"}},
		"no error":          {"expect: {error: some}", []string{"got no error, want one with this in it: some"}},
		"another error":     {"properties: {size: x}\nexpect: {error: some}", []string{"got the error: parameter", "want this in it: some"}},
		"an error too many": {"properties: {sise: 1}\nexpect: {healthy: true}", []string{`error: unknown parameter "sise": did you mean "size"?`}},
		"no expectation":    {"properties: {size: 1}", []string{"expects nothing"}},
		"an unknown field":  {"expects: {}", []string{`unknown field "expects"`, "it has properties"}},
		"no YAML":           {"a: [", []string{"the case is no YAML"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "component/thing/thing.cue", thing)
			write(t, dir, "component/thing/tests/case.yaml", tc.text)
			results, err := bench.Test(t.Context(), TestOptions{Definitions: dir})
			if err != nil || len(results) != 1 {
				t.Fatalf("got %+v, %v, want one result", results, err)
			}
			got := strings.Join(results[0].Failures, "\n")
			if len(tc.want) == 0 && got != "" {
				t.Errorf("got %s", got)
			}
			for _, part := range tc.want {
				if !strings.Contains(got, part) {
					t.Errorf("got %s\nwant %s in it", got, part)
				}
			}
		})
	}
}

func TestGoldenCasesOfCompositions(t *testing.T) {
	const composed = `
outputs: [
	{name: "app", value: {apiVersion: "v1", kind: "Thing", host: context.outputs.db.status.exports.host}},
	{name: "db", type: "component", value: type: "thing"},
]`
	const there = "context: {outputs: {db: {status: {isHealthy: %s, exports: {host: h}}}}}\n"
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"waits":                {"expect: {waiting: [output app waits for context.outputs.db.status.exports.host], healthy: false}", nil},
		"waits in words":       {"expect: {message: output app waits for context.outputs.db.status.exports.host}", nil},
		"waits without notice": {"expect: {waiting: []}", []string{"waiting (-want +got)", "+ - output app waits"}},
		"filled":               {strings.Replace(there, "%s", "true", 1) + "expect: {waiting: [], healthy: true}", nil},
		"filled and failed":    {strings.Replace(there, "%s", "false", 1) + "expect: {healthy: false, message: 'output db, Component example-db, is not healthy'}", nil},
		"the status alone":     {"context: {outputs: {db: {exports: {host: h}}}}\nexpect: {waiting: []}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "component/composed.cue", composed)
			write(t, dir, "component/composed.tests/case.yaml", tc.text)
			results, err := bench.Test(t.Context(), TestOptions{Definitions: dir})
			if err != nil || len(results) != 1 {
				t.Fatalf("got %+v, %v, want one result", results, err)
			}
			got := strings.Join(results[0].Failures, "\n")
			if (got == "") != (tc.want == nil) {
				t.Errorf("got %q", got)
			}
			for _, part := range tc.want {
				if !strings.Contains(got, part) {
					t.Errorf("got %s\nwant %s in it", got, part)
				}
			}
		})
	}
	t.Run("updated", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, "component/composed.cue", composed)
		write(t, dir, "component/composed.tests/case.yaml", "expect: {}")
		results, err := bench.Test(t.Context(), TestOptions{Definitions: dir, Update: true})
		if err != nil || len(results) != 1 || !results[0].Updated {
			t.Fatalf("got %+v, %v", results, err)
		}
		if again, err := bench.Test(t.Context(), TestOptions{Definitions: dir}); err != nil || len(again[0].Failures) > 0 {
			t.Errorf("what was written is not as expected: %+v, %v", again, err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "component/composed.tests/case.yaml"))
		if err != nil || !strings.Contains(string(text), "waiting:\n") {
			t.Errorf("the case says nothing of what waits: %s, %v", text, err)
		}
	})
}

func TestGoldenCasesAreFound(t *testing.T) {
	dir := t.TempDir()
	const refused = "type: thing\nproperties: {none: 1}\nexpect: {error: none}\n"
	for _, file := range []string{"component/thing/tests/b.yaml", "component/thing/tests/a.yml", "component/file.tests/a.yaml", "trait/t/tests/a.yaml", "deep/old.tests/a.yaml", "elsewhere/tests/a.yaml"} {
		write(t, dir, file, refused)
	}
	write(t, dir, "component/thing/thing.cue", thing)
	write(t, dir, "component/file.cue", thing)
	write(t, dir, "trait/t/t.cue", "parameters: {}")
	write(t, dir, "deep/old.cue", "\"old\": {type: \"component\"}\ntemplate: {output: {}}")
	results, err := bench.Test(t.Context(), TestOptions{Definitions: dir})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, result := range results {
		got = append(got, result.File)
	}
	want := []string{"component/file.tests/a.yaml", "component/thing/tests/b.yaml", "component/thing/tests/a.yml", "deep/old.tests/a.yaml", "trait/t/tests/a.yaml"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
}

func TestGoldenUpdate(t *testing.T) {
	for name, tc := range map[string]struct{ before, after string }{
		"nothing expected": {"# why\nproperties: {size: 1} # small\n", "# why\nproperties: {size: 1} # small\nexpect:\n" + outputsOfThing},
		"in the middle":    {"expect:\n  outputs: []\n\n# live\nstatus: {workload: {ready: 1}}", "expect:\n" + outputsOfThing + "# live\nstatus: {workload: {ready: 1}}\n"},
		"status only":      {"status: {workload: {ready: 1}}\nexpect: {healthy: false}\n", "status: {workload: {ready: 1}}\nexpect:\n  healthy: true\n"},
		"all":              {"status: {workload: {ready: 1}}\n", "status: {workload: {ready: 1}}\nexpect:\n  exports:\n    ready: 1\n  healthy: true\n  message: 1 ready\n" + outputsOfThing},
		"an error":         {"properties: {none: 1}\n", "properties: {none: 1}\nexpect:\n  error: 'unknown parameter \"none\": declared are big, size'\n"},
		"as it is":         {"properties: {none: 1}\nexpect: {error: none}\n", "properties: {none: 1}\nexpect: {error: none}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "component/thing/thing.cue", thing)
			file := write(t, dir, "component/thing/tests/case.yaml", tc.before)
			if _, err := bench.Test(t.Context(), TestOptions{Definitions: dir, Update: true}); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.after, string(got)); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
			results, err := bench.Test(t.Context(), TestOptions{Definitions: dir})
			if err != nil || len(results[0].Failures) > 0 {
				t.Errorf("afterwards: %+v, %v", results, err)
			}
		})
	}
	dir := t.TempDir()
	write(t, dir, "component/thing/thing.cue", thing)
	write(t, dir, "component/thing/tests/case.yaml", "{properties: {size: 1}}")
	if _, err := bench.Test(t.Context(), TestOptions{Definitions: dir, Update: true}); err == nil || !strings.Contains(err.Error(), "written in braces") {
		t.Errorf("a case in braces: got %v", err)
	}
}

func TestGoldenExamples(t *testing.T) {
	for _, dir := range []string{examples, filepath.Join("..", "..", "examples", "quickstart", "definitions")} {
		results, err := bench.Test(t.Context(), TestOptions{Definitions: dir})
		if err != nil || len(results) == 0 {
			t.Errorf("%s: got %d results, %v", dir, len(results), err)
		}
		for _, result := range results {
			for _, failure := range result.Failures {
				t.Errorf("%s/%s: %s", dir, result.File, failure)
			}
		}
	}
}
