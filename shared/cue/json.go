package cue

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/encoding/json"
)

// ExtractJSON reads JSON as CUE syntax. Numbers keep every digit, and a key such as #hash stays the key of a field, where
// CUE's own reader would make a definition of it, which no object has.
func ExtractJSON(data []byte) (ast.Expr, error) {
	expression, err := json.Extract(InputFile, data)
	if err != nil {
		return nil, newError(problemsOf(err))
	}
	ast.Walk(expression, func(node ast.Node) bool {
		if field, ok := node.(*ast.Field); ok {
			if label, ok := field.Label.(*ast.Ident); ok && strings.HasPrefix(label.Name, "#") {
				field.Label = ast.NewString(label.Name)
			}
		}
		return true
	}, nil)
	return expression, nil
}

func decodeJSON(context *cue.Context, data []byte) (cue.Value, error) {
	expression, err := ExtractJSON(data)
	if err != nil {
		return cue.Value{}, err
	}
	return context.BuildExpr(expression), nil
}
