package cue

import (
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// NewError is an *Error of the problems in their stable order, without repetition; or nil when there are none.
func NewError(problems []Problem) error { return newError(problems) }

// ProblemsOf turns a CUE error into problems.
func ProblemsOf(err error) []Problem { return explainImports(problemsOf(err)) }

// ProblemAt is a problem with value, at its place.
func ProblemAt(value cue.Value, message string) Problem { return problemAt(value, message) }

// ProblemsIn finds everything in value that is in conflict or not concrete.
func ProblemsIn(value cue.Value) []Problem { return problemsIn(value) }

// FormatPosition is a place as file:line:column, or "" for what the author did not write.
func FormatPosition(position token.Pos) string { return formatPosition(position) }

// Complete resolves the imports of a build instance, and explains those that cannot be.
func Complete(instance *build.Instance) error {
	if err := instance.Complete(); err != nil {
		return newError(explainImports(problemsOf(err)))
	}
	return nil
}

// NewInstance is an empty build instance that can import CUE's standard library and nothing else.
func NewInstance(name string) *build.Instance {
	return build.NewContext().NewInstance(name, noImports)
}

// ParseText parses CUE text that a definition holds in a string, within the limits on a definition. The *Error has all syntax
// errors.
func ParseText(name, text string) (*ast.File, error) {
	if err := checkSource(name, slices.Values([]string{text})); err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(name, text, parser.ParseComments)
	if err != nil {
		return nil, newError(problemsOf(err))
	}
	return file, newError(checkSyntax(file))
}

// CheckProperties refuses what is no JSON map, or too large to be evaluated.
func CheckProperties(properties []byte) error { return checkProperties(properties) }

// PlaceholderContext stands in where only parameters are checked and a default refers to the context.
func PlaceholderContext() Context { return placeholderContext }

// ParameterPath is the path of a parameter as messages show it.
func ParameterPath(path []string) string { return parameterPath(path) }

// Nearest is the candidate that a person who wrote name most likely meant, or "" when none is near.
func Nearest(name string, candidates []string) string { return nearest(name, candidates) }
