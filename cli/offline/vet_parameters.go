package offline

import (
	"fmt"
	"slices"
	"strings"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"wheelwright.dev/wheelwright/shared/cue"
)

// checkParameters finds parameters that nothing reads, and readings of parameters that are not declared. It says nothing
// where the declaration leaves open what there is.
func (v *vetter) checkParameters(one vetted, root cuelang.Value) []cue.Problem {
	schema := one.schema(root)
	if operator, _ := schema.Eval().Expr(); operator == cuelang.OrOp {
		return nil
	}
	texts := one.statusTexts(root)
	var problems []cue.Problem
	if read, all := v.parametersRead(one, texts); !all {
		problems = unread(one.written, schema, read)
	}
	if one.leavesOpen() {
		return problems
	}
	for _, reading := range one.readsParameters(texts) {
		if missing, declared := undeclared(schema, reading.path); missing != "" {
			problems = append(problems, cue.Problem{Position: cue.FormatPosition(reading.position), Path: missing,
				Message: fmt.Sprintf("parameter %q is read and not declared: %s", missing, declaredText(declared))})
		}
	}
	return problems
}

// parametersRead names the parameters that are read: by the definition, by the declaration itself, and those of a component
// by any trait of the folder. All is set where they are read as a whole.
func (v *vetter) parametersRead(one vetted, texts []*ast.File) (read map[string]bool, all bool) {
	readings := one.readsParameters(texts)
	if one.kind == kindComponent {
		for _, other := range v.read {
			if other.kind == kindTrait {
				readings = append(readings, other.readsOfComponent()...)
			}
		}
	}
	read = map[string]bool{}
	for _, reading := range readings {
		if len(reading.path) == 0 {
			return nil, true
		}
		read[reading.path[0]] = true
	}
	for _, decl := range one.declarationsOf() {
		for name := range mentionedIn(decl) {
			read[name] = true
		}
	}
	return read, false
}

// unread are the declared parameters that are not among those that are read.
func unread(w *written, schema cuelang.Value, read map[string]bool) []cue.Problem {
	fields, err := schema.Fields(cuelang.Optional(true))
	if err != nil {
		return nil
	}
	var problems []cue.Problem
	for fields.Next() {
		name := fields.Selector().Unquoted()
		if !read[name] {
			problem := cue.ProblemAt(fields.Value(), fmt.Sprintf("parameter %q is declared and nothing reads it: use it or take it out", name))
			problem.Path = name
			problem.Position = w.labelPosition(name, problem.Position)
			problems = append(problems, problem)
		}
	}
	return problems
}

// labelPosition is where a parameter is declared, or else the place that is known.
func (w *written) labelPosition(name, otherwise string) string {
	for _, decl := range w.declarationsOf() {
		if structure, ok := decl.(*ast.StructLit); ok {
			for _, inner := range structure.Elts {
				if label, field := fieldOf(inner); label == name {
					return cue.FormatPosition(field.Pos())
				}
			}
		}
	}
	return otherwise
}

// undeclared gives the path of the first step of a reading that a schema does not have, and what it has instead.
func undeclared(schema cuelang.Value, path []string) (missing string, declared []string) {
	for i, step := range path {
		if operator, _ := schema.Eval().Expr(); operator == cuelang.OrOp || schema.IncompleteKind() != cuelang.StructKind {
			return "", nil
		}
		field := schema.LookupPath(cuelang.MakePath(cuelang.Str(step).Optional()))
		if field.Exists() {
			schema = field
			continue
		}
		if schema.LookupPath(cuelang.MakePath(cuelang.AnyString)).Exists() {
			return "", nil
		}
		fields, err := schema.Fields(cuelang.Optional(true))
		if err != nil {
			return "", nil
		}
		for fields.Next() {
			declared = append(declared, fields.Selector().Unquoted())
		}
		return cue.ParameterPath(path[:i+1]), declared
	}
	return "", nil
}

func declaredText(names []string) string {
	if len(names) == 0 {
		return "no parameters are declared here"
	}
	slices.Sort(names)
	return "declared are " + strings.Join(names, ", ")
}
