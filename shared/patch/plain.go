package patch

import (
	"encoding/json"
	"regexp"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// Most objects are plain by the time that they are patched: structs, lists and literals, and here and there a default that
// is still open. What unifying two of them gives can be read off them, at a tenth of what evaluating them costs. Everything
// here gives up (ok is false) at the first thing that is not plain, or in conflict; evaluation then has the word.

// unifyPlain is what patch and base are together. Nodes of both are used in it, and none is changed.
func unifyPlain(base, patch *ast.File) (merged *ast.File, ok bool) {
	declarations, ok := unifyFields(base.Decls, patch.Decls)
	return &ast.File{Decls: declarations}, ok
}

func unifyFields(base, patch []ast.Decl) (merged []ast.Decl, ok bool) {
	there, ok := readFields(base)
	if !ok {
		return nil, false
	}
	wanted, ok := readFields(patch)
	if !ok || there.hasPattern && wanted.hasAny() || wanted.hasPattern && there.hasAny() {
		return nil, false
	}
	for _, declaration := range base {
		name, kind := kindOf(declaration)
		if kind == ellipsis { // plain structs are open
			continue
		}
		if want := wanted.regular[name]; want != nil && kind == regular {
			field := declaration.(*ast.Field)
			value, ok := unifyExpressions(field.Value, want.Value)
			if !ok {
				return nil, false
			}
			declaration = &ast.Field{Label: field.Label, Value: value}
		} else if kind != pattern && wanted.names[name] { // one of the two says what the other one must be
			return nil, false
		}
		merged = append(merged, declaration)
	}
	for _, declaration := range patch {
		if name, kind := kindOf(declaration); kind == pattern || kind != ellipsis && !there.names[name] {
			merged = append(merged, declaration)
		}
	}
	return merged, true
}

// fieldKind is what a declaration in a struct is.
type fieldKind int

const (
	other fieldKind = iota
	regular
	// optional fields say what a field must be if it is there.
	optional
	// pattern says what fields of any name must be.
	pattern
	ellipsis
)

// fields are those of a struct.
type fields struct {
	regular map[string]*ast.Field
	// names are those of regular and optional fields.
	names      map[string]bool
	hasPattern bool
}

func (f fields) hasAny() bool { return len(f.names) > 0 || f.hasPattern }

func readFields(declarations []ast.Decl) (read fields, ok bool) {
	read = fields{regular: make(map[string]*ast.Field, len(declarations)), names: make(map[string]bool, len(declarations))}
	for _, declaration := range declarations {
		name, kind := kindOf(declaration)
		switch kind {
		case other:
			return fields{}, false
		case pattern:
			read.hasPattern = true
		case regular, optional:
			if read.names[name] {
				return fields{}, false
			}
			read.names[name] = true
			if kind == regular {
				read.regular[name] = declaration.(*ast.Field)
			}
		}
	}
	return read, true
}

func kindOf(declaration ast.Decl) (name string, kind fieldKind) {
	switch declaration := declaration.(type) {
	case *ast.Ellipsis:
		if declaration.Type == nil {
			return "", ellipsis
		}
	case *ast.Field:
		if _, isPattern := declaration.Label.(*ast.ListLit); isPattern {
			return "", pattern
		}
		name, isIdentifier, err := ast.LabelName(declaration.Label)
		if err != nil || declaration.Value == nil || isIdentifier && (strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#")) {
			return "", other
		}
		switch declaration.Constraint {
		case token.ILLEGAL:
			return name, regular
		case token.OPTION:
			return name, optional
		}
	}
	return "", other
}

func unifyExpressions(base, patch ast.Expr) (merged ast.Expr, ok bool) {
	switch base := base.(type) {
	case *ast.StructLit:
		if patch, same := patch.(*ast.StructLit); same {
			fields, ok := unifyFields(base.Elts, patch.Elts)
			return &ast.StructLit{Elts: fields}, ok
		}
	case *ast.ListLit:
		if patch, same := patch.(*ast.ListLit); same {
			return unifyLists(base, patch)
		}
	case *ast.BasicLit:
		if patch, same := patch.(*ast.BasicLit); same {
			return base, sameLiteral(base, patch)
		}
	}
	return nil, false
}

// unifyLists goes by position. A closed list must not be shorter than the other one.
func unifyLists(base, patch *ast.ListLit) (merged ast.Expr, ok bool) {
	baseItems, baseOpen, baseOK := itemsOf(base)
	patchItems, patchOpen, patchOK := itemsOf(patch)
	if !baseOK || !patchOK || len(baseItems) < len(patchItems) && !baseOpen || len(patchItems) < len(baseItems) && !patchOpen {
		return nil, false
	}
	items := make([]ast.Expr, 0, max(len(baseItems), len(patchItems))+1)
	for i := range cap(items) - 1 {
		switch {
		case i >= len(baseItems):
			items = append(items, patchItems[i])
		case i >= len(patchItems):
			items = append(items, baseItems[i])
		default:
			item, ok := unifyExpressions(baseItems[i], patchItems[i])
			if !ok {
				return nil, false
			}
			items = append(items, item)
		}
	}
	if baseOpen && patchOpen {
		items = append(items, &ast.Ellipsis{})
	}
	return &ast.ListLit{Elts: items}, true
}

// itemsOf are a list's items, and whether more may follow.
func itemsOf(list *ast.ListLit) (items []ast.Expr, open, ok bool) {
	items = list.Elts
	if last := len(items) - 1; last >= 0 {
		if rest, isEllipsis := items[last].(*ast.Ellipsis); isEllipsis {
			if rest.Type != nil {
				return nil, false, false
			}
			items, open = items[:last], true
		}
	}
	for _, item := range items {
		switch item.(type) {
		case *ast.StructLit, *ast.ListLit, *ast.BasicLit, *ast.BinaryExpr, *ast.CallExpr:
		default: // a comprehension is several items, or none
			return nil, false, false
		}
	}
	return items, open, true
}

func sameLiteral(one, other *ast.BasicLit) bool {
	if one.Kind != other.Kind {
		return false
	}
	a, okA := literalValue(one)
	b, okB := literalValue(other)
	return okA && okB && a == b
}

// decodePlain is a plain value as Go has JSON, with numbers as they are written. Defaults are decided.
func decodePlain(expression ast.Expr) (value any, ok bool) {
	switch expression := expression.(type) {
	case *ast.BasicLit:
		return literalValue(expression)
	case *ast.BinaryExpr:
		return defaultValue(expression)
	case *ast.StructLit:
		return decodeFields(expression.Elts)
	case *ast.CallExpr:
		if inner, ok := withoutClose(expression).(*ast.StructLit); ok {
			return decodeFields(inner.Elts)
		}
	case *ast.ListLit:
		items, _, ok := itemsOf(expression)
		if !ok {
			return nil, false
		}
		list := make([]any, len(items))
		for i, item := range items {
			if list[i], ok = decodePlain(item); !ok {
				return nil, false
			}
		}
		return list, true
	}
	return nil, false
}

func decodeFields(declarations []ast.Decl) (object map[string]any, ok bool) {
	read, ok := readFields(declarations)
	if !ok {
		return nil, false
	}
	object = make(map[string]any, len(read.regular))
	for name, field := range read.regular {
		if object[name], ok = decodePlain(field.Value); !ok {
			return nil, false
		}
	}
	return object, true
}

// defaultValue is that of a disjunction in which one literal is marked as the default.
func defaultValue(expression *ast.BinaryExpr) (value any, ok bool) {
	var marked *ast.BasicLit
	for _, alternative := range alternatives(expression) {
		switch alternative := alternative.(type) {
		case *ast.Ident, *ast.BasicLit, *ast.StructLit, *ast.ListLit:
		case *ast.UnaryExpr:
			if alternative.Op != token.MUL {
				continue
			}
			chosen, isLiteral := alternative.X.(*ast.BasicLit)
			if !isLiteral || marked != nil {
				return nil, false
			}
			marked = chosen
		default:
			return nil, false
		}
	}
	if marked == nil {
		return nil, false
	}
	return literalValue(marked)
}

func alternatives(expression ast.Expr) []ast.Expr {
	if either, ok := expression.(*ast.BinaryExpr); ok && either.Op == token.OR {
		return append(alternatives(either.X), alternatives(either.Y)...)
	}
	return []ast.Expr{expression}
}

// decimal is how JSON and CUE spell numbers alike.
var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

func literalValue(node *ast.BasicLit) (value any, ok bool) {
	switch node.Kind {
	case token.NULL:
		return nil, true
	case token.TRUE:
		return true, true
	case token.FALSE:
		return false, true
	case token.INT, token.FLOAT:
		return json.Number(node.Value), decimal.MatchString(node.Value)
	case token.STRING:
		if !strings.HasPrefix(node.Value, `"`) {
			return nil, false
		}
		text, err := literal.Unquote(node.Value)
		return text, err == nil
	}
	return nil, false
}

// clonePlain copies the structs, fields and lists of a file, which following a patch's comments changes.
func clonePlain(file *ast.File) *ast.File {
	return &ast.File{Decls: cloneFields(file.Decls)}
}

func cloneFields(declarations []ast.Decl) []ast.Decl {
	cloned := make([]ast.Decl, len(declarations))
	for i, declaration := range declarations {
		cloned[i] = declaration
		if field, ok := declaration.(*ast.Field); ok {
			cloned[i] = &ast.Field{Label: field.Label, Constraint: field.Constraint, Value: cloneExpression(field.Value)}
		}
	}
	return cloned
}

func cloneExpression(expression ast.Expr) ast.Expr {
	switch expression := expression.(type) {
	case *ast.StructLit:
		return &ast.StructLit{Elts: cloneFields(expression.Elts)}
	case *ast.ListLit:
		items := make([]ast.Expr, len(expression.Elts))
		for i, item := range expression.Elts {
			items[i] = cloneExpression(item)
		}
		return &ast.ListLit{Elts: items}
	case *ast.CallExpr:
		arguments := make([]ast.Expr, len(expression.Args))
		for i, argument := range expression.Args {
			arguments[i] = cloneExpression(argument)
		}
		return &ast.CallExpr{Fun: expression.Fun, Args: arguments}
	}
	return expression
}

// openLists opens the lists that are fields, as the engine does with those of an object before it is patched.
func openLists(file *ast.File) {
	ast.Walk(file, func(node ast.Node) bool {
		if field, ok := node.(*ast.Field); ok {
			if list, ok := field.Value.(*ast.ListLit); ok {
				if _, open, ok := itemsOf(list); ok && !open {
					list.Elts = append(list.Elts, &ast.Ellipsis{})
				}
			}
		}
		return true
	}, nil)
}
