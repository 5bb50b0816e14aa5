package offline

import (
	"os"
	"path/filepath"
	"testing"

	"wheelwright.dev/wheelwright/test/fuzzing"
)

// Any bytes as the file of a Component.
func FuzzComponentFile(f *testing.F) {
	for _, file := range []string{"site.yaml", "batch.yaml"} {
		f.Add(readSeed(f, filepath.Join(examples, file)))
	}
	for _, seed := range []string{
		`{"apiVersion":"core.wheelwright.dev/v1alpha1","kind":"Component","metadata":{"name":"a"},"spec":{"type":"site","properties":{"image":"x","env":{"A":"1"}}}}`,
		"apiVersion: core.wheelwright.dev/v1alpha1\nkind: Component\nmetadata: {name: a}\nspec: {type: v1/site, properties: {image: {fromParameter: {name: x, default: y}}}}\n",
		"&a [*a, *a]", "a: 1\na: 2", "{", "", "null", "---\n---\n", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n",
	} {
		f.Add([]byte(seed))
	}
	file := filepath.Join(f.TempDir(), "component.yaml")
	f.Fuzz(func(t *testing.T, content []byte) {
		rendered(t, Options{Component: file, Definitions: examples}, file, content)
	})
}

// Any bytes as the file of the context, which also stands in for everything that directives name.
func FuzzContextFile(f *testing.F) {
	for _, seed := range []string{
		"applicationParameters: {image: a, replicas: 2}\nsources: {secret/database: {password: p}, settings: {greeting: hello}}\ndependencies: {cache: {host: h}}\n",
		"status: {workload: {ready: 1}}\noutputs: {workload: {kind: X}}\nname: other\nclusterVersion: {minor: '33+'}\n",
		"components: []\nappLabels: {a: b}\nparameters: {image: 1}\nparameter: 3\n",
		"[]", "{", "", "null", "a: &a {b: 1}\nc: *a\n", "sources: 3\n", "context: {context: {}}\n", `{"n": 1e999, "#x": 1, "_y": 2}`,
	} {
		f.Add([]byte(seed))
	}
	file := filepath.Join(f.TempDir(), "context.yaml")
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, component := range []string{"kep.yaml", "v1.yaml"} {
			rendered(t, Options{Component: filepath.Join("testdata/components", component), Definitions: examples, Context: file}, file, content)
		}
	})
}

// rendered renders with content in a file, and judges over the same file as what is live.
func rendered(t *testing.T, options Options, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	fuzzing.Within(t, func() {
		result, err := bench.Render(t.Context(), options)
		if _, again := bench.Render(t.Context(), options); (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
			t.Errorf("rendered twice:\n%v\n%v", err, again)
		}
		if err != nil {
			fuzzing.Readable(t, err.Error(), string(content))
			return
		}
		for _, object := range result.Objects {
			if object.Object.GetKind() == "" || object.Object.GetName() == "" {
				t.Errorf("output %s lacks a kind or a name: %v", object.Name, object.Object)
			}
		}
		for _, live := range []string{"", file} {
			if _, err := result.Status(t.Context(), live); err != nil {
				fuzzing.Readable(t, err.Error(), string(content))
			}
		}
	})
}

func readSeed(f *testing.F, file string) []byte {
	f.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	return content
}
