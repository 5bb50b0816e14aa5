package evaluate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/render"
)

func TestMain(m *testing.M) {
	ServeIfWorker()
	os.Exit(m.Run())
}

func newEvaluator(t *testing.T, options Options) *Evaluator {
	t.Helper()
	evaluator := New(options)
	t.Cleanup(evaluator.Close)
	return evaluator
}

func defined(name, source string) definition.Definition {
	return definition.Definition{Name: name, APIVersion: "v1", Files: map[string]string{"template.cue": source}}
}

func trait(name, source, properties string) Trait {
	return Trait{Type: name, Definition: definition.Trait{Definition: defined(name, source)}, Properties: []byte(properties)}
}

const (
	sample = `
parameters: {text: string, n?: int}
outputs: [
	{name: "a", value: {apiVersion: "v1", kind: "A", text: parameters.text, n: *parameters.n | 0}, statusPaths: [{name: "ready", path: ".status.ready"}]},
]
isHealthy: context.status.a.ready > 1
exports: ready: context.status.a.ready`
	quiet = "parameters: {}\noutputs: [{name: \"a\", value: {apiVersion: \"v1\", kind: \"A\"}}]"
)

// What travels to a worker and back is what an evaluation in this process gives.
func TestAWorkerGivesWhatEvaluationGives(t *testing.T) {
	evaluator := newEvaluator(t, Options{Size: 1})
	work := Work{
		Type: "sample", Definition: defined("sample", sample), Properties: []byte(`{"text":"x","n":9007199254740993}`),
		Context: cue.Context{Name: "web", Namespace: "shop", AppName: "app", ComponentName: "web"}.With(map[string]any{"revision": "r1"}),
		Traits: []Trait{
			trait("more", `outputs: [{name: "b", value: {apiVersion: "v1", kind: "B", of: context.appName, revision: context.revision}}]`, ""),
			trait("pre", "phase: \"pre\"\nparameters: {}\npatch: properties: text: \"y\"\ndispatcher: name: \"other\"", ""),
			trait("post", "phase: \"post\"\noutputs: [{name: \"c\", value: {apiVersion: \"v1\", kind: \"C\", ready: context.status.a.ready}}]", ""),
		},
	}
	rendering, err := evaluator.Render(t.Context(), work)
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, one := range rendering.Objects {
		got = append(got, one.From, one.Name, one.Object.Object)
	}
	want := []any{
		"", "a", map[string]any{"apiVersion": "v1", "kind": "A", "metadata": map[string]any{"name": "web"}, "text": "y", "n": int64(9007199254740993)},
		"more", "b", map[string]any{"apiVersion": "v1", "kind": "B", "metadata": map[string]any{"name": "web"}, "of": "app", "revision": "r1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	if !rendering.HasHealth || !rendering.HasAfter || rendering.ReadsOutputs || string(rendering.Dispatcher) != `{"name":"other"}` {
		t.Errorf("got %+v", rendering)
	}
	value, found := rendering.Objects[0].StatusPaths[0].Find(map[string]any{"status": map[string]any{"ready": int64(2)}})
	if !found || value != int64(2) {
		t.Errorf("the status path finds %v", value)
	}
	if got, err := evaluator.Prepare(t.Context(), work); err != nil || string(got) != string(rendering.Properties) {
		t.Errorf("prepared %s, %v; rendered with %s", got, err, rendering.Properties)
	}
	for ready, want := range map[int64]cue.Judgement{1: {}, 2: {Healthy: true, Exports: map[string]any{"ready": int64(2)}}} {
		work.Context.Status = map[string]map[string]any{"a": {"ready": ready}}
		judgement, err := evaluator.Judge(t.Context(), work, rendering)
		if diff := cmp.Diff(want, judgement); diff != "" || err != nil {
			t.Errorf("ready %d: %v (-want +got):\n%s", ready, err, diff)
		}
	}
	added, err := evaluator.After(t.Context(), work, rendering)
	if err != nil || len(added) != 1 || added[0].Object.GetKind() != "C" {
		t.Errorf("got %v, %v", added, err)
	}
}

// Errors keep their layers on the way, since callers tell whose fault it is by them.
func TestErrorsKeepTheirLayers(t *testing.T) {
	evaluator := newEvaluator(t, Options{Size: 1})
	for name, tc := range map[string]struct {
		work  Work
		layer any
		text  string
	}{
		"definition": {Work{Definition: defined("a", "outputs: [")}, new(*DefinitionError), "ComponentDefinition a is broken: a/template.cue:1:11: "},
		"both kinds": {
			Work{Definition: defined("a", "outputs: ["), Traits: []Trait{trait("t", "patch: {", "")}}, new(*DefinitionError),
			"is broken: a/template.cue:1:11: expected ']', found 'EOF'\nTraitDefinition t is broken: t/template.cue:1:9: ",
		},
		"properties":     {Work{Definition: defined("a", sample), Properties: []byte(`{"txt":"x"}`)}, new(*PropertiesError), `unknown parameter "txt": did you mean "text"?`},
		"of a pre trait": {Work{Definition: defined("a", quiet), Traits: []Trait{trait("t", "phase: \"pre\"\npatch: properties: a: 1 & 2", "")}}, new(*render.Error), "traits[0] t: "},
		"rendering":      {Work{Definition: defined("a", `outputs: [{name: "a", value: apiVersion: "v1"}]`)}, new(*cue.Error), "the object has no kind"},
	} {
		_, err := evaluator.Render(t.Context(), tc.work)
		if err == nil || !strings.Contains(err.Error(), tc.text) || !errors.As(err, tc.layer) {
			t.Errorf("%s: got %T %v, want %T %s", name, err, err, tc.layer, tc.text)
		}
		if problems := new(cue.Error); !errors.As(err, &problems) || len(problems.Problems) == 0 {
			t.Errorf("%s: the problems are lost", name)
		}
	}
	if got := len(DefinitionErrors(evaluator.Definitions(t.Context(), Work{Definition: defined("a", "b"), Traits: []Trait{trait("t", "c", "")}}))); got != 2 {
		t.Errorf("got %d broken definitions, want 2", got)
	}
	if err := evaluator.Definitions(t.Context(), Work{Traits: []Trait{trait("t", "patch: a: 1", "")}}); err != nil {
		t.Errorf("a trait by itself: %v", err)
	}
	if err := evaluator.Check(t.Context(), Work{Definition: defined("a", sample), Properties: []byte(`{"text":1}`)}); err == nil {
		t.Error("a wrong parameter is not refused")
	}
}

// Whatever a definition does, it does not last, it is named, and others are evaluated meanwhile.
func TestBombs(t *testing.T) {
	bombs, err := filepath.Glob("../render/testdata/hostile/bombs/*.cue")
	if err != nil || len(bombs) < 20 {
		t.Fatalf("%d bombs, %v", len(bombs), err)
	}
	evaluator := newEvaluator(t, Options{Size: 2, Slow: 2, SlowAfter: 300 * time.Millisecond, Deadline: time.Second, Memory: 256 << 20})
	others := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-others:
				if n == 0 {
					t.Error("nothing else was evaluated meanwhile")
				}
				return
			default:
			}
			work := Component(defined("quiet", quiet))
			work.Context.Name = "quiet"
			if _, err := evaluator.Render(t.Context(), work); err != nil {
				t.Errorf("beside a bomb: %v", err)
				return
			}
		}
	})
	for _, bomb := range bombs {
		source, err := os.ReadFile(bomb)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(bomb), ".cue")
		limit := (*LimitError)(nil)
		if err := explode(t, evaluator, name, string(source)); !errors.As(err, &limit) || !strings.Contains(limit.Error(), name) || !strings.Contains(limit.Error(), "was ended") {
			t.Errorf("%s: got %v, want that it was ended, with its name", name, err)
		}
	}
	close(others)
	group.Wait()
}

// explode evaluates a bomb to the end: renders it and judges it.
func explode(t *testing.T, evaluator *Evaluator, name, source string) error {
	t.Helper()
	work := Component(defined(name, source))
	if strings.HasPrefix(name, "trait-") {
		work = Work{Type: "x", Definition: defined("x", "parameter: {}\noutput: {apiVersion: \"v1\", kind: \"X\", spec: a: 1}"), Traits: []Trait{trait(name, source, "")}}
	}
	work.Context.Name = name
	rendering, err := evaluator.Render(t.Context(), work)
	if err != nil {
		return err
	}
	work.Context.Status = map[string]map[string]any{"x": {"ready": 1}}
	work.Context.Outputs = map[string]map[string]any{"output": {"apiVersion": "v1", "kind": "X"}}
	_, err = evaluator.Judge(t.Context(), work, rendering)
	return err
}
