package cue

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// In finds the references in nodes, and in whatever those mention.
func (r *References) In(nodes ...ast.Node) []Sighting {
	walk := &referenceWalk{References: r, visited: map[string]bool{}}
	walk.nodes(nodes...)
	return walk.found
}

// referenceWalk is one search for references.
type referenceWalk struct {
	*References
	found    []Sighting
	visited  map[string]bool
	optional int
}

func (w *referenceWalk) nodes(nodes ...ast.Node) {
	for _, node := range nodes {
		ast.Walk(node, w.enter, w.leave)
	}
}

func (w *referenceWalk) enter(node ast.Node) bool {
	if saysOtherwise(node) {
		w.optional++
	}
	switch node := node.(type) {
	case *ast.Field:
		switch node.Label.(type) {
		case *ast.Ident, *ast.BasicLit:
		default:
			w.nodes(node.Label)
		}
		w.value(node.Value)
		return false
	case *ast.LetClause:
		w.value(node.Expr)
		return false
	case *ast.SelectorExpr:
		return w.chain(node)
	case *ast.IndexExpr:
		return w.chain(node)
	case *ast.Ident:
		w.chain(node)
	}
	return true
}

// value looks at what a name stands for. One that stands for all outputs reads none yet.
func (w *referenceWalk) value(expression ast.Expr) {
	if path, ok := w.literalPath(expression); expression == nil || ok && len(path) < 2 {
		return
	}
	w.nodes(expression)
}

func (w *referenceWalk) leave(node ast.Node) {
	if saysOtherwise(node) {
		w.optional--
	}
}

// chain notes a chain that starts with a name. It tells whether there is none, so that its parts are looked at.
func (w *referenceWalk) chain(expression ast.Expr) bool {
	root, links := linksOf(expression)
	if root == nil {
		return true
	}
	for _, one := range links {
		if one.index != nil {
			w.nodes(one.index)
		}
	}
	if !w.visited[root.Name] {
		w.visited[root.Name] = true
		w.nodes(w.declared[root.Name]...)
	}
	prefix, ok := w.aliases[root.Name]
	if !ok {
		return false
	}
	whole := make([]link, 0, len(prefix)+len(links))
	for _, label := range prefix {
		whole = append(whole, link{label: label, literal: true})
	}
	whole = append(whole, links...)
	if len(whole) == 0 || whole[0].label != "outputs" && whole[0].label != "status" {
		return false
	}
	seen := Sighting{Position: formatPosition(expression.Pos()), Optional: w.optional > 0}
	seen.Path = contextPath(prefix) + strings.TrimPrefix(spell(expression), root.Name)
	if len(whole) > 1 && whole[1].literal {
		seen.Output = whole[1].label
	}
	for _, one := range whole[1:] {
		seen.places = append(seen.places, one.place)
	}
	w.found = append(w.found, seen)
	return false
}

// saysOtherwise tells whether an expression goes on without what is in it.
func saysOtherwise(node ast.Node) bool {
	binary, ok := node.(*ast.BinaryExpr)
	if !ok {
		return false
	}
	switch binary.Op {
	case token.OR:
		return true
	case token.EQL, token.NEQ:
		_, left := binary.X.(*ast.BottomLit)
		_, right := binary.Y.(*ast.BottomLit)
		return left || right
	}
	return false
}

// mentions tells whether an expression in file starts with a name.
func mentions(file ast.Node, name string) bool {
	found := false
	ast.Walk(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.Field:
			if _, plain := node.Label.(*ast.Ident); !plain {
				found = found || mentions(node.Label, name)
			}
			found = found || node.Value != nil && mentions(node.Value, name)
			return false
		case *ast.SelectorExpr:
			found = found || mentions(node.X, name)
			return false
		case *ast.Ident:
			found = found || node.Name == name
		}
		return !found
	}, nil)
	return found
}
