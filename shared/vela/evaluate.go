package vela

import (
	"encoding/json"
	"fmt"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"wheelwright.dev/wheelwright/shared/cue"
)

// input is what an evaluation puts in, as JSON by field: parameter and context. A parameter that is absent is none.
type input map[string][]byte

// evaluate puts the input into the definition and checks the result as KubeVela does: what the definition's author refuses
// by errs, and everything that is in conflict. What is not concrete is no error yet.
func (t *Template) evaluate(in input) (*evaluation, error) {
	done, err := t.text.evaluate(in)
	if err != nil {
		return nil, err
	}
	var problems []cue.Problem
	for _, message := range refusals(done.root) {
		problems = append(problems, cue.Problem{Position: cue.FormatPosition(t.declared[errsField].Pos()), Message: message})
	}
	if err := done.root.Validate(); err != nil {
		problems = append(problems, t.explain(in, locate(done.root, cue.ProblemsOf(err)))...)
	}
	if len(problems) > 0 {
		done.close()
		return nil, cue.NewError(problems)
	}
	return done, nil
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

// syntax is the input as a CUE struct.
func (in input) syntax() (*ast.StructLit, error) {
	structure := &ast.StructLit{}
	for _, name := range []string{parameterField, "context"} {
		content := in[name]
		if content == nil {
			continue
		}
		expression, err := cue.ExtractJSON(content)
		if err != nil {
			return nil, err
		}
		structure.Elts = append(structure.Elts, &ast.Field{Label: ast.NewIdent(name), Value: expression})
	}
	return structure, nil
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
