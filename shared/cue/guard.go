package cue

import "fmt"

// Guard is deferred by what evaluates CUE on behalf of others. It turns a panic of the evaluator, which some definitions
// bring about, into an *Error at err that names the definition: one definition must not end the delivery of all others.
func Guard(definition string, err *error) {
	if failure := recover(); failure != nil {
		*err = newError([]Problem{{
			Position: definition,
			Message:  fmt.Sprintf("the CUE evaluator broke down over this definition and input: %v", failure),
		}})
	}
}
