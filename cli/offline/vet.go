package offline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	cuelang "cuelang.org/go/cue"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/render"
)

// Vet finds everything in a folder of definitions that would fail later, in the order of its places, which are files
// within the folder with line and column; and the number of definitions that it looked at. The error is about the folder
// itself.
func (b *Workbench) Vet(ctx context.Context, dir string) ([]cue.Problem, int, error) {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, 0, fmt.Errorf("opening the folder of definitions: %w", err)
	}
	defer folder.Close()
	vetter, problems, err := newVetter(library{files: folder.FS()})
	if err != nil {
		return nil, 0, err
	}
	for i, one := range vetter.read {
		got, err := b.ask(ctx, one.place.kind+" definition "+one.place.name, question{Definitions: dir, Vet: i + 1})
		if fault := (*cue.Error)(nil); errors.As(err, &fault) {
			problems = append(problems, one.place.inFolder(fault.Problems)...)
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		problems = append(problems, got.Problems...)
	}
	if len(problems) == 0 {
		return nil, len(vetter.read), nil
	}
	return problemsOf(cue.NewError(problems)), len(vetter.read), nil
}

// newVetter reads a folder, and finds what cannot be read.
func newVetter(definitions library) (*vetter, []cue.Problem, error) {
	places, problems, err := definitions.inventory()
	if err != nil {
		return nil, nil, err
	}
	vetter := &vetter{compiler: render.NewCompiler(cue.Options{})}
	for _, found := range places {
		read, err := found.read(definitions)
		if err != nil {
			problems = append(problems, found.inFolder(problemsOf(err))...)
			continue
		}
		vetter.read = append(vetter.read, vetted{place: found, written: read})
	}
	return vetter, problems, nil
}

// vetter looks at the definitions of one folder.
type vetter struct {
	compiler *render.Compiler
	// read are all definitions of the folder: one may be read by another.
	read []vetted
}

type vetted struct {
	place place
	*written
}

// vet finds what is wrong with one definition. That the CUE evaluator breaks down over it is wrong too.
func (v *vetter) vet(one vetted) (problems []cue.Problem) {
	if one.place.kind == kindStep {
		return nil
	}
	defer func() {
		if failure := recover(); failure != nil {
			problems = append(problems, brokeDown(failure))
		}
	}()
	problems = problemsOf(v.compile(one))
	root, err := one.build("_")
	if err != nil {
		if len(problems) == 0 {
			problems = problemsOf(err)
		}
		return append(problems, checkOutputs(one.written)...)
	}
	if len(problems) == 0 {
		problems = conflictsIn(root)
	}
	problems = append(problems, checkOutputs(one.written)...)
	problems = append(problems, v.checkParameters(one, root)...)
	return append(problems, v.checkStatus(one)...)
}

// conflictsIn finds values that are in conflict before anything is given. Left out is what fails for a default only, such as
// an empty list, and is well once a parameter is given.
func conflictsIn(root cuelang.Value) []cue.Problem {
	return slices.DeleteFunc(cue.ProblemsOf(root.Validate()), func(problem cue.Problem) bool {
		for _, passing := range []string{"division by zero", "error in call to", "index out of range"} {
			if strings.Contains(problem.Message, passing) {
				return true
			}
		}
		return false
	})
}

func (v *vetter) compile(one vetted) error {
	if one.place.kind == kindTrait {
		_, err := v.compiler.Trait(definition.Trait{Definition: one.definition})
		return err
	}
	_, err := v.compiler.Component(one.definition)
	return err
}
