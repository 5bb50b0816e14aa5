package offline

import (
	"fmt"

	"cuelang.org/go/cue/ast"

	"wheelwright.dev/wheelwright/shared/cue"
)

// checkOutputs finds outputs that cannot be applied, and names that are there twice.
func checkOutputs(w *written) []cue.Problem {
	if w.shape == cue.V1 {
		return checkNamedOutputs(w)
	}
	outputs := outputsOf(w)
	problems := outputs.problems
	first := map[string]string{}
	for _, output := range outputs.list {
		if output.name == "" || output.conditional { // of two conditional ones, one may take the place of the other
			continue
		}
		if there, taken := first[output.name]; taken {
			problems = append(problems, cue.Problem{Position: output.place, Path: output.name,
				Message: fmt.Sprintf("an output of this name is there already, at line %s: names must be unique", lineOf(there))})
			continue
		}
		first[output.name] = output.place
	}
	return problems
}

// checkNamedOutputs checks output and outputs of KubeVela's shape.
func checkNamedOutputs(w *written) []cue.Problem {
	var problems []cue.Problem
	objects := &namedOutputs{complete: true, values: map[string][]ast.Expr{}}
	for _, form := range w.forms {
		objects.readDecls(form.Syntax.Decls, false)
	}
	for _, name := range sortedNames(objects.values) {
		values := objects.values[name]
		if !objects.merged[name] {
			problems = append(problems, checkObject(name, values, values[0])...)
		}
	}
	return problems
}

// namedOutputs are the outputs of KubeVela's shape by name, the main one as output.
type namedOutputs struct {
	values map[string][]ast.Expr
	// merged are those with a part under a condition.
	merged map[string]bool
	// complete is false where there may be others.
	complete bool
}

func (n *namedOutputs) readDecls(decls []ast.Decl, conditional bool) {
	for _, decl := range decls {
		if comprehension, ok := decl.(*ast.Comprehension); ok {
			if value, ok := comprehension.Value.(*ast.StructLit); ok {
				n.readDecls(value.Elts, true)
			}
			continue
		}
		switch name, field := fieldOf(decl); name {
		case "output":
			n.add(name, field.Value, conditional)
		case "outputs":
			n.readOutputs(field.Value, conditional)
		}
	}
}

func (n *namedOutputs) readOutputs(value ast.Expr, conditional bool) {
	lit, ok := value.(*ast.StructLit)
	if !ok {
		n.complete = false
		return
	}
	for _, decl := range lit.Elts {
		switch decl := decl.(type) {
		case *ast.Field:
			if name, _ := fieldOf(decl); name != "" {
				n.add(name, decl.Value, conditional)
				continue
			}
			n.complete = false
		case *ast.Comprehension:
			n.readOutputs(decl.Value, true)
		case *ast.LetClause, *ast.CommentGroup, *ast.Attribute:
		default:
			n.complete = false
		}
	}
}

func (n *namedOutputs) add(name string, value ast.Expr, conditional bool) {
	if n.merged == nil {
		n.merged = map[string]bool{}
	}
	n.merged[name] = n.merged[name] || conditional
	n.values[name] = append(n.values[name], value)
}
