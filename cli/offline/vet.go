package offline

import (
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
// within the folder with line and column. The error is about the folder itself.
func Vet(dir string) ([]cue.Problem, error) {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of definitions: %w", err)
	}
	defer folder.Close()
	places, problems, err := library{files: folder.FS()}.inventory()
	if err != nil {
		return nil, err
	}
	vetter := &vetter{compiler: render.NewCompiler(cue.Options{})}
	for _, found := range places {
		read, err := found.read(library{files: folder.FS()})
		if err != nil {
			problems = append(problems, found.inFolder(problemsOf(err))...)
			continue
		}
		vetter.read = append(vetter.read, vetted{place: found, written: read})
	}
	for _, one := range vetter.read {
		problems = append(problems, one.place.inFolder(vetter.vet(one))...)
	}
	if len(problems) == 0 {
		return nil, nil
	}
	return problemsOf(cue.NewError(problems)), nil
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
