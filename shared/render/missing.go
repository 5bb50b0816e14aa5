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
	var found []error
	if v1 := r.Component.v1; v1 != nil {
		found = append(found, v1.CheckParameters(r.Properties))
	}
	for i, trait := range r.Traits {
		if v1 := trait.Definition.v1; v1 != nil {
			found = append(found, atTrait(trait.place(i), v1.CheckParameters(trait.Properties)))
		}
	}
	return joined(append(found, err)...)
}

// atTrait puts a trait's place before each problem of err.
func atTrait(place string, err error) error {
	fault := (*cue.Error)(nil)
	if !errors.As(err, &fault) {
		return err
	}
	problems := make([]cue.Problem, len(fault.Problems))
	for i, problem := range fault.Problems {
		problems[i] = cue.Problem{Message: place + ": " + problem.String()}
	}
	return &cue.Error{Problems: problems}
}

// joined has the problems of all errors, in their order. An error that is about something else than a definition and its
// input goes first and alone.
func joined(all ...error) error {
	var problems []cue.Problem
	for _, err := range all {
		fault := (*cue.Error)(nil)
		if err != nil && !errors.As(err, &fault) {
			return err
		}
		if fault != nil {
			problems = append(problems, fault.Problems...)
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return &cue.Error{Problems: problems}
}
