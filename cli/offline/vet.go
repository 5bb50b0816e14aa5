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
	"wheelwright.dev/wheelwright/shared/render"
)

// Vet finds everything in a folder of definitions that would fail later, in the order of its places, which are files
// within the folder with line and column; and the number of definitions that it looked at. The error is about the folder
// itself.
func (b *Workbench) Vet(ctx context.Context, dir string) ([]cue.Problem, int, error) {
	vetter, problems, err := readFolder(dir)
	if err != nil {
		return nil, 0, err
	}
	found, err := b.lookAt(ctx, vetter, question{Definitions: dir})
	return problemsOf(cue.NewError(append(problems, found...))), len(vetter.read), err
}

// lookAt asks the same of each definition of a folder.
func (b *Workbench) lookAt(ctx context.Context, folder *vetter, asked question) ([]cue.Problem, error) {
	asked.Look = b.looks.Add(1)
	var problems []cue.Problem
	for i, one := range folder.read {
		asked.Number = i + 1
		got, err := b.ask(ctx, one.place.kind+" definition "+one.place.name, asked)
		if fault := (*cue.Error)(nil); errors.As(err, &fault) {
			problems = append(problems, one.place.inFolder(fault.Problems)...)
			continue
		}
		if err != nil {
			return nil, err
		}
		problems = append(problems, got.Problems...)
	}
	return problems, nil
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

// readFolder reads all definitions in a folder, and finds what is wrong with them as text.
func readFolder(dir string) (*vetter, []cue.Problem, error) {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the folder of definitions: %w", err)
	}
	defer folder.Close()
	definitions := library{files: folder.FS()}
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
	root, built, problems := v.evaluate(one)
	problems = append(problems, checkFields(one.written)...)
	problems = append(problems, checkOutputs(one.written)...)
	if !built {
		return problems
	}
	problems = append(problems, v.checkParameters(one, root)...)
	problems = append(problems, v.checkStatus(one)...)
	if len(problems) > 0 {
		return problems
	}
	return v.checkRendering(one)
}

// evaluate finds what keeps a definition from rendering, whatever it is given. Without it nothing more is known of values:
// built is then false.
func (v *vetter) evaluate(one vetted) (root cuelang.Value, built bool, problems []cue.Problem) {
	problems = problemsOf(v.compile(one))
	root, err := one.build("_")
	switch {
	case err != nil && len(problems) == 0:
		return root, false, problemsOf(err)
	case err != nil:
		return root, false, problems
	case len(problems) == 0:
		problems = conflictsIn(root)
	}
	return root, true, problems
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
		_, err := v.compiler.Trait(one.definition)
		return err
	}
	_, err := v.compiler.Component(one.definition.Definition)
	return err
}
