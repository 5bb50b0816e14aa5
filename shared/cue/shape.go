package cue

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
)

// Shape is how a definition is written.
type Shape int

const (
	// KEP is the shape of KEP-2.1: parameters, outputs as a list, isHealthy, message, exports.
	KEP Shape = iota
	// V1 is the shape of KubeVela v1: parameter, output, outputs as a map; patch and patchOutputs in traits.
	V1
)

// ComponentShape tells the shape of a component's definition by the fields that it declares. Where nothing tells, it is
// the KEP's.
func ComponentShape(forms []Form) Shape {
	switch {
	case declaredAs(forms, "outputs", isList):
		return KEP
	case hasHeader(forms), declaredAs(forms, "output", isAny):
		return V1
	}
	return KEP
}

// TraitShape tells the shape of a trait's definition by the fields that it declares. Where nothing tells, it is the KEP's.
func TraitShape(forms []Form) Shape {
	switch {
	case declaredAs(forms, "outputs", isList), declaredAs(forms, "patch", patchesByName):
		return KEP
	case hasHeader(forms), declaredAs(forms, "outputs", isStruct):
		return V1
	case declaredAs(forms, "patch", isAny), declaredAs(forms, "patchOutputs", isAny), declaredAs(forms, "errs", isAny):
		return V1
	}
	return KEP
}

func hasHeader(forms []Form) bool {
	for _, form := range forms {
		if form.Header != nil {
			return true
		}
	}
	return false
}

func declaredAs(forms []Form, name string, is func(ast.Expr) bool) bool {
	for _, form := range forms {
		if field := fieldNamed(form.Syntax, name); field != nil && is(field.Value) {
			return true
		}
	}
	return false
}

func isAny(ast.Expr) bool { return true }

func isList(value ast.Expr) bool {
	_, ok := value.(*ast.ListLit)
	return ok
}

func isStruct(value ast.Expr) bool {
	_, ok := value.(*ast.StructLit)
	return ok
}

// patchesByName tells whether a patch is the KEP's, over outputs or properties, and not one over a Kubernetes object.
func patchesByName(patch ast.Expr) bool {
	structure, ok := patch.(*ast.StructLit)
	if !ok {
		return false
	}
	file := &ast.File{Decls: structure.Elts}
	return fieldNamed(file, "outputs") != nil || fieldNamed(file, "properties") != nil || fieldNamed(file, "parameters") != nil
}

// textOf is the text of a literal string, or "".
func textOf(expression ast.Expr) string {
	lit, ok := expression.(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, err := literal.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return text
}
