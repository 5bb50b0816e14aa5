package offline

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"wheelwright.dev/wheelwright/shared/cue"
)

// said are the fields at the top of a definition that mean something, by its kind.
var said = map[string][]string{
	kindComponent: {
		"parameters", "parameter", "outputs", "output", "isHealthy", "message", "exports", "workflow", "status", "errs", "context",
	},
	kindTrait: {
		"parameters", "parameter", "outputs", "patch", "patchOutputs", "phase", "appliesTo", "dispatcher", "status", "errs", "context",
	},
}

// checkFields finds fields that mean nothing where one that is spelt almost alike would. Other fields are the author's own.
func checkFields(one *written) []cue.Problem {
	var problems []cue.Problem
	for _, form := range one.forms {
		for _, declaration := range form.Syntax.Decls {
			field, ok := declaration.(*ast.Field)
			if !ok {
				continue
			}
			name, isIdentifier, err := ast.LabelName(field.Label)
			own := isIdentifier && (strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#"))
			if err != nil || own || slices.Contains(said[one.kind], name) || one.mentions(name) {
				continue
			}
			if near := cue.Nearest(name, said[one.kind]); near != "" {
				problems = append(problems, cue.Problem{Position: cue.FormatPosition(field.Pos()), Path: name,
					Message: fmt.Sprintf("%s means nothing here: did you mean %s?", name, near)})
			}
		}
	}
	return problems
}

// mentions tells whether a definition refers to a name.
func (w *written) mentions(name string) bool {
	found := false
	for _, form := range w.forms {
		labels := map[ast.Node]bool{}
		ast.Walk(form.Syntax, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.Field:
				labels[node.Label] = true
			case *ast.Ident:
				found = found || node.Name == name && !labels[node]
			}
			return true
		}, nil)
	}
	return found
}
