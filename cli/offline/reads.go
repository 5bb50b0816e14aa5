package offline

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// reading is one place where CUE text reads from a name, as context.status.workload reads status.workload from context.
type reading struct {
	// path is what is selected, as far as it is literal; empty where the name stands alone.
	path     []string
	position token.Pos
}

// reader finds what is read from a name.
type reader struct {
	name  string
	found []reading
	// mentioned are all names that expressions start with.
	mentioned map[string]bool
	// shadows counts the structs around that have a field of that name: there it is another one.
	shadows int
}

// readingsOf finds where nodes read from a name.
func readingsOf(name string, nodes ...ast.Node) []reading {
	r := &reader{name: name, mentioned: map[string]bool{}}
	r.walk(nodes...)
	return r.found
}

// mentionedIn are the names that expressions in a node start with.
func mentionedIn(node ast.Node) map[string]bool {
	r := &reader{mentioned: map[string]bool{}}
	r.walk(node)
	return r.mentioned
}

func (r *reader) walk(nodes ...ast.Node) {
	for _, node := range nodes {
		ast.Walk(node, r.enter, r.leave)
	}
}

func (r *reader) enter(node ast.Node) bool {
	if r.hides(node) {
		r.shadows++
	}
	switch node := node.(type) {
	case *ast.Field:
		switch node.Label.(type) {
		case *ast.Ident, *ast.BasicLit:
		default:
			r.walk(node.Label)
		}
		if node.Value != nil {
			r.walk(node.Value)
		}
		return false
	case *ast.SelectorExpr:
		r.note(r.chain(node))
		return false
	case *ast.IndexExpr:
		r.note(r.chain(node))
		return false
	case *ast.Ident:
		r.note(node, nil)
	}
	return true
}

func (r *reader) leave(node ast.Node) {
	if r.hides(node) {
		r.shadows--
	}
}

func (r *reader) note(root *ast.Ident, path []string) {
	if root == nil {
		return
	}
	r.mentioned[root.Name] = true
	if root.Name == r.name && r.shadows == 0 {
		r.found = append(r.found, reading{path: path, position: root.Pos()})
	}
}

// chain takes a.b["c"] apart. What is selected from or by an expression is walked, and the path ends there.
func (r *reader) chain(expression ast.Expr) (*ast.Ident, []string) {
	root, path, _ := r.links(expression)
	return root, path
}

// links is chain; it tells whether the path goes on.
func (r *reader) links(expression ast.Expr) (root *ast.Ident, path []string, whole bool) {
	switch node := expression.(type) {
	case *ast.Ident:
		return node, nil, true
	case *ast.ParenExpr:
		return r.links(node.X)
	case *ast.SelectorExpr:
		root, path, whole = r.links(node.X)
		if label, _, err := ast.LabelName(node.Sel); err == nil && whole {
			return root, append(path, label), true
		}
		return root, path, false
	case *ast.IndexExpr:
		root, path, whole = r.links(node.X)
		text, ok := literalText(node.Index)
		if ok && whole {
			return root, append(path, text), true
		}
		if !ok {
			r.walk(node.Index)
		}
		return root, path, false
	}
	r.walk(expression)
	return nil, nil, false
}
