package cue

import (
	"bytes"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/encoding/json"
)

// byteOrderMark is what CUE accepts in no text unless it is escaped. Files that were written on Windows start with it, and
// ConfigMaps hold such files.
var byteOrderMark = []byte("\ufeff")

// ExtractJSON reads JSON as CUE syntax. Numbers keep every digit, and a key such as #hash stays the key of a field, where
// CUE's own reader would make a definition of it, which no object has. The *Error names numbers that CUE cannot hold.
func ExtractJSON(data []byte) (ast.Expr, error) {
	expression, err := json.Extract(InputFile, bytes.ReplaceAll(data, byteOrderMark, []byte(`\ufeff`)))
	if err != nil {
		return nil, newError([]Problem{{Message: "the input is JSON that cannot be read as CUE"}})
	}
	var problems []Problem
	ast.Walk(expression, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.Field:
			if label, ok := node.Label.(*ast.Ident); ok && strings.HasPrefix(label.Name, "#") {
				node.Label = ast.NewString(label.Name)
			}
		case *ast.BasicLit:
			problems = append(problems, checkNumber(node)...)
		}
		return true
	}, nil)
	return expression, newError(problems)
}

func decodeJSON(context *cue.Context, data []byte) (cue.Value, error) {
	expression, err := ExtractJSON(data)
	if err != nil {
		return cue.Value{}, err
	}
	return context.BuildExpr(expression), nil
}
