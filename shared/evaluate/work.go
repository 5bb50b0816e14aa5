package evaluate

import (
	"errors"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/render"
)

// Work is a component to evaluate: its definition and its traits as they are written, and what they are given.
type Work struct {
	// Type of the component, as the user wrote it.
	Type       string
	Definition definition.Definition
	// Properties are JSON, or nil where the user gave none. They must be free of from* directives.
	Properties []byte
	Traits     []Trait
	Context    cue.Context
}

// Trait is a trait of a component, with the properties that the user gave it.
type Trait struct {
	// Type as the user wrote it.
	Type       string
	Definition definition.Trait
	Properties []byte
}

// Rendering is what a component renders to.
type Rendering struct {
	// Objects in the order in which they were rendered. Each has a name; no two outputs have one.
	Objects []render.Object
	// Properties are the component's after its pre traits.
	Properties []byte
	// Dispatcher is what a pre trait put in the place of the component's dispatcher, as JSON; nil when none did.
	Dispatcher []byte
	// Pending are the outputs that wait for the live objects of others. They are not among the Objects.
	Pending []render.Pending
	// Reads tells which outputs' live objects the rendering depends on.
	Reads render.Reads
	// HasHealth tells whether the definition says itself when it is healthy.
	HasHealth bool
	// ReadsOutputs tells whether judging needs context.Outputs.
	ReadsOutputs bool
	// HasAfter tells whether there are traits of the phase post.
	HasAfter bool
	// Warnings are parameters that are accepted and do nothing, in words.
	Warnings []string
}

// DefinitionError is about a definition as such, whatever it is given.
type DefinitionError struct {
	// Kind is ComponentDefinition or TraitDefinition.
	Kind string
	Name string
	// Err is a *cue.Error.
	Err error
}

// Error names the definition before its problems.
func (e *DefinitionError) Error() string {
	return e.Kind + " " + e.Name + " is broken: " + e.Err.Error()
}

// Unwrap gives the *cue.Error.
func (e *DefinitionError) Unwrap() error { return e.Err }

// DefinitionErrors are all *DefinitionErrors in err.
func DefinitionErrors(err error) []*DefinitionError {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var found []*DefinitionError
		for _, one := range joined.Unwrap() {
			found = append(found, DefinitionErrors(one)...)
		}
		return found
	}
	one := (*DefinitionError)(nil)
	if errors.As(err, &one) {
		return []*DefinitionError{one}
	}
	return nil
}

// PropertiesError is about what a definition was given.
type PropertiesError struct {
	// Err is or wraps a *cue.Error.
	Err error
}

// Error is the problems.
func (e *PropertiesError) Error() string { return e.Err.Error() }

// Unwrap gives what is or wraps the *cue.Error.
func (e *PropertiesError) Unwrap() error { return e.Err }

// LimitError is about an evaluation that took more time or memory than it may, and was ended.
type LimitError struct {
	// Name of the definition.
	Name string
	// Err says what it took.
	Err error
}

// Error says what was ended, why, and what to look for.
func (e *LimitError) Error() string {
	return "the evaluation of " + e.Name + " " + e.Err.Error() +
		" and was ended: look for a list or text whose size a parameter decides, a comprehension within a comprehension, or a disjunction of many structs"
}

// Unwrap gives what it took.
func (e *LimitError) Unwrap() error { return e.Err }
