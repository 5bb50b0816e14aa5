package cue

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
)

// detach copies value onto a CUE context of its own, with defaults that stay defaults and comments that stay beside their
// fields. Where CUE cannot write the value down as it is, its decided form is copied.
func detach(value cue.Value) (cue.Value, error) {
	copied := buildSyntax(syntaxOf(value))
	if copied.Err() == nil && copied.Validate(cue.Concrete(true)) == nil {
		return copied, nil
	}
	encoded, err := value.MarshalJSON()
	if err != nil {
		return cue.Value{}, newError(problemsOf(err))
	}
	return decodeJSON(cuecontext.New(), encoded)
}

// syntaxOf writes value down, with its comments and without references to what lies outside of it.
func syntaxOf(value cue.Value) ast.Node {
	//lint:ignore SA1019 without it CUE v0.14 decides defaults that refer to something, as *parameters.replicas | int
	return value.Syntax(cue.Docs(true), cue.ResolveReferences(true))
}

// buildSyntax builds what a value was written down as.
func buildSyntax(syntax ast.Node) cue.Value {
	context := cuecontext.New()
	switch node := syntax.(type) {
	case *ast.File:
		return context.BuildFile(node)
	case *ast.StructLit:
		return context.BuildFile(&ast.File{Decls: closed(node.Elts)})
	case ast.Expr:
		return context.BuildExpr(node)
	}
	return cue.Value{}
}

// closed leaves out the ellipsis, which a file cannot have.
func closed(decls []ast.Decl) []ast.Decl {
	var kept []ast.Decl
	for _, decl := range decls {
		if _, ok := decl.(*ast.Ellipsis); !ok {
			kept = append(kept, decl)
		}
	}
	return kept
}
