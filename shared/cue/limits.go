package cue

import (
	"encoding/json"
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"

	"wheelwright.dev/wheelwright/shared/definition"
)

// Limits on what is evaluated. They are far above what a definition or a person needs, and keep hostile input from
// exhausting the parser's stack.
const (
	// MaxSourceBytes bounds the sum of a definition's files.
	MaxSourceBytes = 1 << 20
	// MaxOpenings bounds the brackets and colons of a definition, each of which opens a level, and with them what the parser
	// needs.
	MaxOpenings = 50_000
	// MaxDepth bounds how deep a definition nests once it is parsed, in brackets, operators or selectors, and with it what the
	// compiler and the evaluator need.
	MaxDepth = 1_000
	// MaxPropertiesBytes bounds the JSON of a component's properties.
	MaxPropertiesBytes = 1 << 20
)

func checkSource(def definition.Definition) error {
	size, openings := 0, 0
	for _, source := range def.Files {
		size += len(source)
		for _, opening := range []string{"{", "[", "(", ":"} {
			openings += strings.Count(source, opening)
		}
	}
	switch {
	case size > MaxSourceBytes:
		return newError([]Problem{{
			Position: def.Name,
			Message:  fmt.Sprintf("the definition has %d bytes of CUE; at most %d are allowed", size, MaxSourceBytes),
		}})
	case openings > MaxOpenings:
		return newError([]Problem{{
			Position: def.Name,
			Message:  fmt.Sprintf("the definition has %d opening brackets and colons; at most %d are allowed", openings, MaxOpenings),
		}})
	}
	return nil
}

// checkDepth refuses a file whose syntax tree is too deep to be walked by recursion with a large frame.
func checkDepth(file *ast.File) []Problem {
	var problems []Problem
	depth := 0
	ast.Walk(file, func(node ast.Node) bool {
		depth++
		if depth > MaxDepth && len(problems) == 0 {
			problems = append(problems, Problem{
				Position: formatPosition(node.Pos()),
				Message:  fmt.Sprintf("the definition nests deeper than the %d levels that are allowed", MaxDepth),
			})
		}
		return len(problems) == 0
	}, func(ast.Node) { depth-- })
	return problems
}

// checkProperties also bounds the depth: the standard library finds JSON invalid that nests deeper than 10,000.
func checkProperties(properties []byte) error {
	switch {
	case len(properties) > MaxPropertiesBytes:
		return newError([]Problem{{
			Message: fmt.Sprintf("properties have %d bytes; at most %d are allowed", len(properties), MaxPropertiesBytes),
		}})
	case !json.Valid(properties):
		return newError([]Problem{{Message: "properties are not valid JSON"}})
	case properties[0] != '{':
		return newError([]Problem{{Message: "properties must be a map of parameters"}})
	}
	return nil
}
