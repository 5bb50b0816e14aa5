package offline

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/render"
	"wheelwright.dev/wheelwright/test/fuzzing"
)

// Any text as a definition in a folder: what cannot be compiled is found, always the same, and each time at a place.
func FuzzVet(f *testing.F) {
	for _, file := range []string{"component/batch.cue", "component/site/template.cue", "trait/helper.cue", "trait/labelled/trait.cue"} {
		f.Add(string(readSeed(f, filepath.Join(examples, file))), strings.HasPrefix(file, "trait"))
	}
	for _, seed := range []string{
		"", "{", "parameters: {a: 1 & 2}\noutputs: []", "parameters: {a: int | *\"x\"}\noutputs: [{name: \"a\", value: {}}]",
		"outputs: [{name: \"a\"}]\nisHealthy: context.status.b.c", "parameter: [string]: {...}\noutput: {}", "parameter: close({a?: [...int]})\npatch: {}",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	folder := f.TempDir()
	for _, kind := range []string{kindComponent, kindTrait} {
		if err := os.Mkdir(filepath.Join(folder, kind), 0o700); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, source string, isTrait bool) {
		kind, other := kindComponent, kindTrait
		if isTrait {
			kind, other = other, kind
		}
		if err := os.WriteFile(filepath.Join(folder, kind, "thing.cue"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(folder, other, "thing.cue")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		fuzzing.Within(t, func() { checkVet(t, folder, kind, source) })
	})
}

// vetHere is Vet in this process, where the fuzzer sees what it reaches.
func vetHere(dir string) ([]cue.Problem, error) {
	folder, problems, err := readFolder(dir)
	if err != nil {
		return nil, err
	}
	for _, one := range folder.read {
		problems = append(problems, one.place.inFolder(folder.vet(one))...)
	}
	return problemsOf(cue.NewError(problems)), nil
}

func checkVet(t *testing.T, folder, kind, source string) {
	t.Helper()
	problems, err := vetHere(folder)
	again, _ := vetHere(folder)
	if err != nil {
		t.Errorf("the folder cannot be read: %v", err)
	}
	if !slices.Equal(problems, again) {
		t.Errorf("vetted twice:\n%v\n%v", problems, again)
	}
	for _, problem := range problems {
		fuzzing.Readable(t, problem.Message, source)
		if !strings.HasPrefix(problem.Position, kind+"/thing.cue") {
			t.Errorf("a problem has no place in the file: %#v", problem)
		}
	}
	if err := compiles(kind, source); err != nil && len(problems) == 0 {
		t.Errorf("vet finds nothing wrong with what does not compile: %v", err)
	}
	schema, err := parametersOf(SchemaOptions{Definitions: folder, Name: "thing", Kind: kind})
	if err != nil {
		fuzzing.Readable(t, err.Error(), source)
		return
	}
	if _, err := json.Marshal(schema); err != nil {
		t.Errorf("the schema is no JSON: %v", err)
	}
	if err := schema.Print(io.Discard); err != nil {
		t.Errorf("the schema cannot be printed: %v", err)
	}
}

func compiles(kind, source string) error {
	def := definition.Definition{Name: "thing", Files: map[string]string{"thing.cue": source}}
	compiler := render.NewCompiler(cue.Options{})
	if kind == kindTrait {
		_, err := compiler.Trait(definition.Trait{Definition: def})
		return err
	}
	_, err := compiler.Component(def)
	return err
}
