package cue

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
)

// Limits on what is evaluated. They are far above what a definition or a person needs, and keep hostile input from
// exhausting the parser's stack.
const (
	// MaxSourceBytes bounds the sum of a definition's files.
	MaxSourceBytes = 1 << 20
	// MaxOpenings bounds the brackets and colons of a definition, each of which opens a level, and with them what the parser
	// needs.
	MaxOpenings = 50_000
	// MaxDepth bounds how deep a definition nests once it is parsed, in brackets, operators or selectors, and how deep properties
	// do; and with it what the compiler and the evaluator need.
	MaxDepth = 1_000
	// MaxPropertiesBytes bounds the JSON of a component's properties.
	MaxPropertiesBytes = 1 << 20
)

func checkSource(name string, sources iter.Seq[string]) error {
	size, openings := 0, 0
	for source := range sources {
		size += len(source)
		for _, opening := range []string{"{", "[", "(", ":"} {
			openings += strings.Count(source, opening)
		}
	}
	switch {
	case size > MaxSourceBytes:
		return newError([]Problem{{
			Position: name,
			Message:  fmt.Sprintf("the definition has %d bytes of CUE; at most %d are allowed", size, MaxSourceBytes),
		}})
	case openings > MaxOpenings:
		return newError([]Problem{{
			Position: name,
			Message:  fmt.Sprintf("the definition has %d opening brackets and colons; at most %d are allowed", openings, MaxOpenings),
		}})
	}
	return nil
}

// checkSyntax refuses a file whose syntax tree is too deep to be walked by recursion with a large frame, and numbers that CUE
// cannot hold, and values where fields should be.
func checkSyntax(file *ast.File) []Problem {
	problems := checkFields(file)
	depth, tooDeep := 0, false
	ast.Walk(file, func(node ast.Node) bool {
		depth++
		if depth > MaxDepth && !tooDeep {
			tooDeep = true
			problems = append(problems, Problem{
				Position: formatPosition(node.Pos()),
				Message:  fmt.Sprintf("the definition nests deeper than the %d levels that are allowed", MaxDepth),
			})
		}
		if literal, ok := node.(*ast.BasicLit); ok {
			problems = append(problems, checkNumber(literal)...)
		}
		return !tooDeep
	}, func(ast.Node) { depth-- })
	return problems
}

// checkFields refuses a file that is a value by itself, over which the evaluator would break down.
func checkFields(file *ast.File) []Problem {
	var problems []Problem
	for _, decl := range file.Decls {
		embedded, ok := decl.(*ast.EmbedDecl)
		if !ok {
			continue
		}
		switch embedded.Expr.(type) {
		case *ast.BasicLit, *ast.ListLit:
			problems = append(problems, Problem{
				Position: formatPosition(embedded.Pos()),
				Message:  "a definition consists of fields, as in parameters: {...}, and this is a value by itself",
			})
		}
	}
	return problems
}

// checkProperties also bounds the depth, as the time to evaluate them grows with its square and more.
func checkProperties(properties []byte) error {
	switch {
	case len(properties) > MaxPropertiesBytes:
		return newError([]Problem{{
			Message: fmt.Sprintf("properties have %d bytes; at most %d are allowed", len(properties), MaxPropertiesBytes),
		}})
	case !json.Valid(properties):
		return newError([]Problem{{Message: "properties are not valid JSON"}})
	case !utf8.Valid(properties):
		return newError([]Problem{{Message: "properties are not valid UTF-8"}})
	case depthOf(properties) > MaxDepth:
		return newError([]Problem{{Message: fmt.Sprintf("properties nest deeper than the %d levels that are allowed", MaxDepth)}})
	case properties[0] != '{':
		return newError([]Problem{{Message: "properties must be a map of parameters"}})
	}
	return nil
}

// depthOf is how deep JSON nests that is known to be valid.
func depthOf(content []byte) int {
	depth, deepest, inString := 0, 0, false
	for i := 0; i < len(content); i++ {
		switch char := content[i]; {
		case inString && char == '\\':
			i++
		case char == '"':
			inString = !inString
		case inString:
		case char == '{' || char == '[':
			depth++
			deepest = max(deepest, depth)
		case char == '}' || char == ']':
			depth--
		}
	}
	return deepest
}
