package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// Evaluator evaluates the CUE around steps. It is pure, and takes and gives plain values, so that it can be moved to where an
// evaluation that does not end can be ended. An error that is a *cue.Error is the definition's fault.
type Evaluator interface {
	// Element evaluates one element of a block's list.
	Element(ctx context.Context, query Query) (Element, error)
	// Condition evaluates a step's `if` over the fields of scope.
	Condition(ctx context.Context, expression string, scope Scope) (bool, error)
}

// Scope are the top-level fields that an expression sees, each as JSON.
type Scope map[string]json.RawMessage

// Query asks for one element of a block.
type Query struct {
	Definition definition.Definition
	// Block is create or delete.
	Block string
	Index int
	Scope Scope
}

// Element is an element of the list, evaluated.
type Element struct {
	// Elements is how many the list has. A block that is not there has none.
	Elements int
	// Steps are those that the element gives: none where its condition is false, and several where it is a `for`.
	Steps []Step
}

// inProcess evaluates in this process, each time on a CUE context of its own.
type inProcess struct{}

func (inProcess) Element(_ context.Context, query Query) (element Element, err error) {
	defer recovered(query.Definition.Name, &err)
	forms, err := cue.ReadForms(query.Definition)
	if err != nil {
		return Element{}, err
	}
	instance := cue.NewInstance(query.Definition.Name)
	list := &blockList{block: query.Block}
	for _, form := range forms {
		file, err := form.Parse()
		if err != nil {
			return Element{}, cue.NewError(cue.ProblemsOf(err))
		}
		list.find(file)
		if err := add(instance, file); err != nil {
			return Element{}, err
		}
	}
	list.split()
	root, err := buildWith(instance, query.Scope)
	if err != nil {
		return Element{}, err
	}
	return list.element(root, query.Index)
}

func (inProcess) Condition(_ context.Context, expression string, scope Scope) (holds bool, err error) {
	const field = "if"
	defer recovered(field, &err)
	parsed, err := parser.ParseExpr(field, expression)
	if err != nil {
		return false, cue.NewError(cue.ProblemsOf(err))
	}
	instance := cue.NewInstance(field)
	file := &ast.File{Filename: field, Decls: []ast.Decl{&ast.Field{Label: ast.NewString(field), Value: parsed}}}
	if err := add(instance, file); err != nil {
		return false, err
	}
	root, err := buildWith(instance, scope)
	if err != nil {
		return false, err
	}
	holds, err = root.LookupPath(cuelang.MakePath(cuelang.Str(field))).Bool()
	if err != nil {
		return false, cue.NewError(cue.ProblemsOf(err))
	}
	return holds, nil
}

// recovered turns a breakdown of the evaluator into an error.
func recovered(name string, err *error) {
	if failure := recover(); failure != nil {
		*err = cue.NewError([]cue.Problem{{
			Position: name, Message: fmt.Sprintf("the CUE evaluator broke down: %v", failure),
		}})
	}
}

func add(instance *build.Instance, file *ast.File) error {
	cue.SetPackage(file)
	if err := instance.AddSyntax(file); err != nil {
		return cue.NewError(cue.ProblemsOf(err))
	}
	return nil
}

// scopeNames can be referred to whether they are there or not.
var scopeNames = []string{"context", "parameters", "parameter", "status", "inputs"}

// buildWith adds the scope to an instance and builds it.
func buildWith(instance *build.Instance, scope Scope) (cuelang.Value, error) {
	file := &ast.File{Filename: cue.InputFile}
	for _, name := range scopeNames {
		file.Decls = append(file.Decls, &ast.Field{Label: ast.NewIdent(name), Value: ast.NewIdent("_")})
		if scope[name] == nil {
			continue
		}
		expression, err := cue.ExtractJSON(scope[name])
		if err != nil {
			return cuelang.Value{}, err
		}
		file.Decls = append(file.Decls, &ast.Field{Label: ast.NewIdent(name), Value: expression})
	}
	if err := add(instance, file); err != nil {
		return cuelang.Value{}, err
	}
	if err := cue.Complete(instance); err != nil {
		return cuelang.Value{}, err
	}
	root := cuecontext.New().BuildInstance(instance)
	if !root.LookupPath(cuelang.ParsePath("context")).Exists() { // nothing is built where a reference is not resolved
		return cuelang.Value{}, cue.NewError(cue.ProblemsOf(root.Err()))
	}
	return root, nil
}

// elementProblems are the problems in an element, in terms of the list that the author wrote.
func elementProblems(err error, written string, split ...string) error {
	problems := cue.ProblemsOf(err)
	if own := (*cue.Error)(nil); errors.As(err, &own) {
		problems = own.Problems
	}
	for i := range problems {
		for _, prefix := range split {
			if rest, ok := strings.CutPrefix(problems[i].Path, prefix); ok {
				problems[i].Path = written + rest
				break
			}
		}
		problems[i].Message = explained(problems[i].Message)
	}
	return cue.NewError(problems)
}

// explained adds what authors cannot know from CUE's words alone.
func explained(message string) string {
	if strings.Contains(message, "undefined field: outputs") {
		message += " (context.outputs is there once the dispatch step of a create or upgrade event has run)"
	}
	return message
}
