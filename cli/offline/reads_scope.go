package offline

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// hides tells whether a name means something else within a node.
func (r *reader) hides(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.StructLit:
		for _, decl := range node.Elts {
			if declaresName(decl, r.name) {
				return true
			}
		}
	case *ast.Comprehension:
		for _, clause := range node.Clauses {
			switch clause := clause.(type) {
			case *ast.ForClause:
				if isNamed(clause.Key, r.name) || isNamed(clause.Value, r.name) {
					return true
				}
			case *ast.LetClause:
				if isNamed(clause.Ident, r.name) {
					return true
				}
			}
		}
	}
	return false
}

// declaresName tells whether a declaration gives a name a meaning. A label in quotes does not.
func declaresName(decl ast.Decl, name string) bool {
	switch decl := decl.(type) {
	case *ast.Field:
		label, ok := decl.Label.(*ast.Ident)
		return ok && label.Name == name
	case *ast.LetClause:
		return isNamed(decl.Ident, name)
	}
	return false
}

func isNamed(ident *ast.Ident, name string) bool { return ident != nil && ident.Name == name }

// literalText is the text of a literal string.
func literalText(expression ast.Expr) (string, bool) {
	lit, ok := expression.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := literal.Unquote(lit.Value)
	return text, err == nil
}
