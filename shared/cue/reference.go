package cue

import (
	"slices"
	"strconv"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// Reference is what an output reads of the live object of another one.
type Reference struct {
	// Output that is read; empty where an expression makes its name.
	Output string
	// Path of the value as the definition spells it, such as context.outputs.db.status.exports.host.
	Path string
}

// Sighting is a Reference at its place in the definition.
type Sighting struct {
	Reference
	Position string
	// Optional is set where the definition says what holds without it: in a disjunction, or compared with _|_.
	Optional bool

	// places are those of what is selected, any of which may be missing.
	places []string
}

// References finds what expressions of a definition read of live objects, also by way of other fields.
type References struct {
	// declared are the fields and lets at the top level of all files.
	declared map[string][]ast.Node
	// aliases are names that stand for a part of the context, each with the path to it.
	aliases map[string][]string
}

// contextName is where a definition finds what is put in from outside.
const contextName = "context"

// NewReferences reads what the files of one definition declare.
func NewReferences(forms []Form) *References {
	r := &References{declared: map[string][]ast.Node{}, aliases: map[string][]string{contextName: {}}}
	named := map[string]ast.Expr{}
	for _, form := range forms {
		for _, decl := range form.Syntax.Decls {
			switch decl := decl.(type) {
			case *ast.Field:
				if label, ok := decl.Label.(*ast.Ident); ok {
					r.declared[label.Name] = append(r.declared[label.Name], decl)
					named[label.Name] = decl.Value
				}
			case *ast.LetClause:
				r.declared[decl.Ident.Name] = append(r.declared[decl.Ident.Name], decl)
			}
		}
		ast.Walk(form.Syntax, func(node ast.Node) bool {
			if let, ok := node.(*ast.LetClause); ok {
				named[let.Ident.Name] = let.Expr
			}
			return true
		}, nil)
	}
	for before := 0; before < len(r.aliases); { // one may stand for a part of another
		before = len(r.aliases)
		for name, expression := range named {
			if path, ok := r.literalPath(expression); ok && name != contextName {
				r.aliases[name] = path
			}
		}
	}
	return r
}

// link is one selection of a chain such as context.outputs["db"].status.
type link struct {
	label string
	// literal is false where an expression makes the label, or it is an index.
	literal bool
	place   string
	// index is the expression of a label that is not literal.
	index ast.Expr
}

// linksOf takes a chain apart. The root is nil where it starts with no name.
func linksOf(expression ast.Expr) (*ast.Ident, []link) {
	switch node := expression.(type) {
	case *ast.Ident:
		return node, nil
	case *ast.ParenExpr:
		return linksOf(node.X)
	case *ast.SelectorExpr:
		root, links := linksOf(node.X)
		label, _, err := ast.LabelName(node.Sel)
		return root, append(links, link{label: label, literal: err == nil, place: formatPosition(node.Sel.Pos())})
	case *ast.IndexExpr:
		root, links := linksOf(node.X)
		lit, ok := node.Index.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return root, append(links, link{place: formatPosition(node.Index.Pos()), index: node.Index})
		}
		text, err := literal.Unquote(lit.Value)
		return root, append(links, link{label: text, literal: err == nil, place: formatPosition(node.Index.Pos())})
	}
	return nil, nil
}

// literalPath is the path of a chain within the context, where it is one and literal throughout.
func (r *References) literalPath(expression ast.Expr) ([]string, bool) {
	root, links := linksOf(expression)
	if root == nil {
		return nil, false
	}
	prefix, ok := r.aliases[root.Name]
	path := slices.Clone(prefix)
	for _, one := range links {
		ok = ok && one.literal
		path = append(path, one.label)
	}
	return path, ok
}

// contextPath is a path within the context as a definition spells it.
func contextPath(path []string) string {
	text := contextName
	for _, label := range path {
		if ast.IsValidIdent(label) {
			text += "." + label
		} else {
			text += "[" + strconv.Quote(label) + "]"
		}
	}
	return text
}
