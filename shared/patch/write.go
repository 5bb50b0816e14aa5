package patch

import (
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// anything stands where what a value must be is left out: evaluation knows it.
var anything = ast.NewIdent("_")

// anyField finds the pattern that holds for fields of any name.
var anyField = cue.MakePath(cue.AnyString)

// anyItem finds what holds for items of a list beyond those that it has.
var anyItem = cue.MakePath(cue.AnyIndex)

// writePlain writes a value down as far as it is plain: what is decided is there, and of what is not decided yet (defaults that
// may be overridden, optional fields, patterns) only that it is. CUE's own way to write values down does the same with
// everything, at three times the cost.
func writePlain(value cue.Value) (written ast.Expr, ok bool) {
	switch value.Kind() {
	case cue.StructKind:
		return writeStruct(value)
	case cue.ListKind:
		return writeList(value)
	case cue.BottomKind:
		chosen, hasDefault := value.Default()
		if !hasDefault {
			return nil, false
		}
		decided, ok := writeScalar(chosen)
		return &ast.BinaryExpr{Op: token.OR, X: &ast.UnaryExpr{Op: token.MUL, X: decided}, Y: anything}, ok
	}
	return writeScalar(value)
}

func writeStruct(value cue.Value) (written ast.Expr, ok bool) {
	fields, err := value.Fields(cue.Optional(true))
	if err != nil {
		return nil, false
	}
	structure := &ast.StructLit{}
	if value.LookupPath(anyField).Exists() {
		structure.Elts = append(structure.Elts, &ast.Field{Label: ast.NewList(anything), Value: anything})
	}
	for fields.Next() {
		field := &ast.Field{}
		selector := fields.Selector()
		field.Label = label(selector.Unquoted())
		if fields.IsOptional() {
			field.Constraint, field.Value = token.OPTION, anything
		} else if field.Value, ok = writePlain(fields.Value()); !ok {
			return nil, false
		}
		structure.Elts = append(structure.Elts, field)
	}
	if !value.Allows(cue.AnyString) {
		return ast.NewCall(ast.NewIdent("close"), structure), true
	}
	return structure, true
}

func writeList(value cue.Value) (written ast.Expr, ok bool) {
	items, err := value.List()
	if err != nil {
		return nil, false
	}
	list := &ast.ListLit{}
	for items.Next() {
		item, ok := writePlain(items.Value())
		if !ok {
			return nil, false
		}
		list.Elts = append(list.Elts, item)
	}
	if value.Allows(cue.AnyIndex) {
		if rest := value.LookupPath(anyItem); rest.Exists() && rest.IncompleteKind() != cue.TopKind {
			return nil, false // items that a later patch adds have to be of some type
		}
		list.Elts = append(list.Elts, &ast.Ellipsis{})
	}
	return list, true
}

func writeScalar(value cue.Value) (written ast.Expr, ok bool) {
	switch value.Kind() {
	case cue.NullKind:
		return ast.NewNull(), true
	case cue.BoolKind:
		truth, err := value.Bool()
		return ast.NewBool(truth), err == nil
	case cue.StringKind:
		text, err := value.String()
		return &ast.BasicLit{Kind: token.STRING, Value: literal.String.Quote(text)}, err == nil
	case cue.IntKind:
		number, err := value.Int64()
		return &ast.BasicLit{Kind: token.INT, Value: strconv.FormatInt(number, 10)}, err == nil
	case cue.FloatKind:
		encoded, err := value.MarshalJSON()
		return &ast.BasicLit{Kind: token.FLOAT, Value: string(encoded)}, err == nil
	}
	return nil, false
}

// label is a field's label as CUE writes it, with quotes where it needs them: strategies compare labels as they are written.
func label(name string) ast.Label {
	if strings.HasPrefix(name, "#") || strings.HasPrefix(name, "_") || !ast.IsValidIdent(name) {
		return ast.NewString(name)
	}
	return ast.NewIdent(name)
}
