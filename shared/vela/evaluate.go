package vela

import (
	"encoding/json"
	"fmt"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"

	"wheelwright.dev/wheelwright/shared/cue"
)

// input is what an evaluation puts in, as JSON by field: parameter and context. A parameter that is absent is none.
type input map[string][]byte

// evaluate puts the input into the definition and checks the result as KubeVela does: what the definition's author refuses
// by errs, and everything that is in conflict. What is not concrete is no error yet.
func (t *Template) evaluate(in input) (cuelang.Value, error) {
	root, err := t.build(in)
	if err != nil {
		return cuelang.Value{}, err
	}
	var problems []cue.Problem
	for _, message := range refusals(root) {
		problems = append(problems, cue.Problem{Position: cue.FormatPosition(t.declared[errsField].Pos()), Message: message})
	}
	if err := root.Validate(); err != nil {
		problems = append(problems, t.explain(in, locate(root, cue.ProblemsOf(err)))...)
	}
	return root, cue.NewError(problems)
}

// refusals are the texts in errs. An errs of another type is none: KubeVela passes it over too.
func refusals(root cuelang.Value) []string {
	var messages []string
	if errs := root.LookupPath(pathOf(errsField)); errs.Exists() {
		if err := errs.Decode(&messages); err != nil {
			return nil
		}
	}
	return messages
}

// build evaluates the definition with its input, on a CUE context of its own.
func (t *Template) build(in input) (root cuelang.Value, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = cue.NewError([]cue.Problem{{
				Position: t.definition.Name, Message: fmt.Sprintf("the CUE evaluator broke down over this definition and input: %v", failure),
			}})
		}
	}()
	instance, err := t.instance()
	if err != nil {
		return cuelang.Value{}, err
	}
	return buildWith(instance, in)
}

// instance is a fresh build instance of the files, since building writes into them.
func (t *Template) instance() (*build.Instance, error) {
	instance := cue.NewInstance(t.definition.Name)
	for _, form := range t.forms {
		file, err := form.Parse()
		if err != nil {
			return nil, cue.NewError(cue.ProblemsOf(err))
		}
		if err := add(instance, file); err != nil {
			return nil, err
		}
	}
	return instance, nil
}

func add(instance *build.Instance, file *ast.File) error {
	cue.SetPackage(file)
	if err := instance.AddSyntax(file); err != nil {
		return cue.NewError(cue.ProblemsOf(err))
	}
	return nil
}

// buildWith adds the input to an instance and builds it.
func buildWith(instance *build.Instance, in input) (cuelang.Value, error) {
	file, err := in.syntax()
	if err != nil {
		return cuelang.Value{}, err
	}
	if err := add(instance, file); err != nil {
		return cuelang.Value{}, err
	}
	if err := cue.Complete(instance); err != nil {
		return cuelang.Value{}, err
	}
	root := cuecontext.New().BuildInstance(instance)
	// Nothing can be built where a reference is not resolved.
	if !root.LookupPath(pathOf("context")).Exists() {
		return cuelang.Value{}, cue.NewError(cue.ProblemsOf(root.Err()))
	}
	return root, nil
}

// syntax is the input as a CUE file, beside the bare declarations that let a definition refer to what is absent.
func (in input) syntax() (*ast.File, error) {
	file, err := parser.ParseFile(cue.InputFile, "context: _\nparameter: _\n")
	if err != nil {
		return nil, fmt.Errorf("parsing the declarations of the input: %w", err)
	}
	for _, name := range []string{parameterField, "context"} {
		content := in[name]
		if content == nil {
			continue
		}
		expression, err := cue.ExtractJSON(content)
		if err != nil {
			return nil, err
		}
		file.Decls = append(file.Decls, &ast.Field{Label: ast.NewIdent(name), Value: expression})
	}
	return file, nil
}

// newInput is the input of an evaluation. Parameters may be nil.
func newInput(context map[string]any, parameters []byte) (input, error) {
	in := input{}
	encoded, err := json.Marshal(context)
	if err != nil {
		return nil, fmt.Errorf("encoding the context: %w", err)
	}
	if in["context"], err = canonical(encoded); err != nil {
		return nil, err
	}
	if parameters != nil {
		if in[parameterField], err = canonical(parameters); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func pathOf(names ...string) cuelang.Path {
	selectors := make([]cuelang.Selector, len(names))
	for i, name := range names {
		selectors[i] = cuelang.Str(name)
	}
	return cuelang.MakePath(selectors...)
}
