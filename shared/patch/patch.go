// Package patch merges patches into objects the way KubeVela v1 does: by CUE unification, steered by the comments
// +patchKey and +patchStrategy in the patch. The rules are KubeVela's, found by comparing with its own engine; the two
// strategies for a patch as a whole, jsonMergePatch and jsonPatch, are that engine's code.
package patch

import (
	"errors"
	"fmt"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/token"
	"github.com/kubevela/workflow/pkg/cue/model/sets"
)

// merge turns a panic, which some syntax trees bring about, into an error.
func merge(base cue.Value, merging func() (cue.Value, error)) (merged cue.Value, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("the patch cannot be merged: %v", failure)
		}
	}()
	if !base.Exists() {
		return cue.Value{}, errors.New("there is no object to patch")
	}
	return merging()
}

// unify writes both down, lets the patch's comments rewrite them, and evaluates them as one.
func unify(base, patch cue.Value) (cue.Value, error) {
	baseFile, err := sets.OpenListLit(base)
	if err != nil {
		return cue.Value{}, fmt.Errorf("writing the object down: %w", err)
	}
	patchFile, err := write(patch)
	if err != nil {
		return cue.Value{}, err
	}
	follow(baseFile, patchFile)
	merged := build(baseFile, patchFile)
	if err := merged.Err(); err != nil {
		return cue.Value{}, err
	}
	return merged, merged.Validate(cue.All())
}

// write writes a patch down, with its comments.
func write(patch cue.Value) (*ast.File, error) {
	//lint:ignore SA1019 without it CUE v0.14 decides defaults that refer to something, as *parameter.replicas | int
	file, err := sets.ToFile(patch.Syntax(cue.Docs(true), cue.ResolveReferences(true)))
	if err != nil {
		return nil, fmt.Errorf("writing the patch down: %w", err)
	}
	return file, nil
}

// build evaluates two files as one value. Each stays a struct by itself, so that a name in one means nothing in the other;
// with imports, which an expression cannot have, they are evaluated apart.
func build(base, patch *ast.File) cue.Value {
	context := cuecontext.New()
	if len(base.Imports)+len(patch.Imports) > 0 || hasImports(base) || hasImports(patch) {
		return context.BuildFile(base).Unify(context.BuildFile(patch))
	}
	return context.BuildFile(&ast.File{Decls: []ast.Decl{&ast.EmbedDecl{Expr: &ast.BinaryExpr{
		Op: token.AND, X: &ast.StructLit{Elts: base.Decls}, Y: &ast.StructLit{Elts: patch.Decls},
	}}}})
}

func hasImports(file *ast.File) bool {
	for _, declaration := range file.Decls {
		if _, ok := declaration.(*ast.ImportDecl); ok {
			return true
		}
	}
	return false
}
