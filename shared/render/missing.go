package render

import (
	"errors"

	"wheelwright.dev/wheelwright/shared/cue"
)

// withMissing puts what is wrong with parameters before an error that objects are not concrete. A definition of KubeVela's
// shape asks for a parameter only where it needs it, and then in terms of the object.
func (r Request) withMissing(err error) error {
	fault := (*cue.Error)(nil)
	if !errors.As(err, &fault) {
		return err
	}
	var problems []cue.Problem
	if v1 := r.Component.v1; v1 != nil {
		problems = problemsOf(v1.CheckParameters(r.Properties))
	}
	for i, trait := range r.Traits {
		if v1 := trait.Definition.v1; v1 != nil {
			for _, problem := range problemsOf(v1.CheckParameters(trait.Properties)) {
				problems = append(problems, cue.Problem{Message: trait.place(i) + ": " + problem.String()})
			}
		}
	}
	if len(problems) == 0 {
		return err
	}
	return &cue.Error{Problems: append(problems, fault.Problems...)}
}

func problemsOf(err error) []cue.Problem {
	if fault := (*cue.Error)(nil); errors.As(err, &fault) {
		return fault.Problems
	}
	return nil
}
