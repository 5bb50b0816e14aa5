package patch

import (
	"maps"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
)

// Names of what comments in a patch can say, as in // +patchKey=name.
const (
	patchKey      = "patchKey"
	patchStrategy = "patchStrategy"

	retainKeys = "retainKeys"
	replace    = "replace"
)

// follow rewrites base and patch so that unifying them does what the comments in patch ask for. Where a strategy does not
// fit what it stands at, it does nothing, as in KubeVela.
func follow(base, patch *ast.File) {
	guide{base: base}.declarations(patch.Decls, nil, nil)
}

// guide walks a patch beside the base that it is for.
type guide struct {
	base *ast.File
}

func (g guide) declarations(declarations []ast.Decl, path []string, tags map[string]string) {
	for _, declaration := range declarations {
		g.node(declaration, path, tags)
	}
}

func (g guide) expressions(expressions []ast.Expr, path []string, tags map[string]string) {
	for index, expression := range expressions {
		g.node(expression, below(path, strconv.Itoa(index)), tags)
	}
}

// node walks what is at path. Tags are those of the fields above it, which lists inherit.
func (g guide) node(node ast.Node, path []string, tags map[string]string) {
	switch node := node.(type) {
	case *ast.Field:
		g.field(node, path, tags)
	case *ast.StructLit:
		g.declarations(node.Elts, path, tags)
	case *ast.ListLit:
		g.expressions(node.Elts, path, tags)
	case *ast.BinaryExpr:
		g.node(node.X, path, tags)
		g.node(node.Y, path, tags)
	case *ast.UnaryExpr:
		g.node(node.X, path, tags)
	case *ast.EmbedDecl:
		g.node(node.Expr, path, tags)
	case *ast.Comprehension:
		g.node(node.Value, path, tags)
	case *ast.CallExpr:
		if inner := withoutClose(node); inner != ast.Node(node) {
			g.node(inner, path, tags)
			return
		}
		g.expressions(node.Args, path, tags)
	}
}

func (g guide) field(field *ast.Field, path []string, tags map[string]string) {
	label := labelOf(field)
	own := tagsOf(field)
	key := tags[patchKey]
	if given, ok := own[patchKey]; ok {
		key = given
	}
	if list, ok := withoutClose(field.Value).(*ast.ListLit); ok {
		g.list(list, below(path, label), key, own[patchStrategy])
	} else if own[patchStrategy] == retainKeys {
		g.replaceField(field, path)
	}
	if label == "" || strings.HasPrefix(label, "#") || field.Value == nil {
		return
	}
	inherited := maps.Clone(tags)
	if inherited == nil {
		inherited = map[string]string{}
	}
	maps.Copy(inherited, own)
	g.node(field.Value, below(path, label), inherited)
}

func (g guide) list(list *ast.ListLit, path []string, key, strategy string) {
	base, ok := find(g.base, path).(*ast.ListLit)
	switch {
	case !ok:
	case strategy == replace:
		base.Elts = list.Elts
	case key != "":
		mergeByKeys(base, list, strings.Split(key, ","), strategy == retainKeys)
	}
}

// replaceField puts the patch's value in the place of the base's, in the struct at path.
func (g guide) replaceField(field *ast.Field, path []string) {
	var declarations []ast.Decl
	switch base := find(g.base, path).(type) {
	case *ast.StructLit:
		declarations = base.Elts
	case *ast.File:
		declarations = base.Decls
	}
	for _, declaration := range declarations {
		if there, ok := declaration.(*ast.Field); ok && labelOf(there) == labelOf(field) {
			there.Value = field.Value
		}
	}
}

// find is the node at path, without a close() around it, or nil.
func find(node ast.Node, path []string) ast.Node {
	if len(path) == 0 {
		return withoutClose(node)
	}
	switch node := node.(type) {
	case *ast.File:
		return findField(node.Decls, path)
	case *ast.StructLit:
		return findField(node.Elts, path)
	case *ast.ListLit:
		return findItem(node.Elts, path)
	case *ast.CallExpr:
		if inner := withoutClose(node); inner != ast.Node(node) {
			return find(inner, path)
		}
		return findItem(node.Args, path)
	}
	return nil
}

func findField(declarations []ast.Decl, path []string) ast.Node {
	for _, declaration := range declarations {
		field, ok := declaration.(*ast.Field)
		if ok && field.Value != nil && strings.Trim(labelOf(field), `"`) == strings.Trim(path[0], `"`) {
			return find(field.Value, path[1:])
		}
	}
	return nil
}

func findItem(items []ast.Expr, path []string) ast.Node {
	index, err := strconv.Atoi(path[0])
	if err != nil || index < 0 || index >= len(items) {
		return nil
	}
	return find(items[index], path[1:])
}

// withoutClose is what a close() is around, or the node itself.
func withoutClose(node ast.Node) ast.Node {
	call, ok := node.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return node
	}
	if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "close" {
		return call.Args[0]
	}
	return node
}

// labelOf is a field's label as it is written, with its quotes.
func labelOf(field *ast.Field) string {
	switch label := field.Label.(type) {
	case *ast.Ident:
		return label.Name
	case *ast.BasicLit:
		return label.Value
	}
	return ""
}

// tagsOf are what the comments beside a field say: lines such as // +patchKey=name.
func tagsOf(field *ast.Field) map[string]string {
	tags := map[string]string{}
	for _, group := range ast.Comments(field) {
		for _, comment := range group.List {
			line, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")), "+")
			if !ok {
				continue
			}
			name, value, ok := strings.Cut(line, "=")
			if value = strings.TrimSpace(value); ok && len(strings.Fields(value)) <= 1 {
				tags[strings.TrimSpace(name)] = value
			}
		}
	}
	return tags
}

func below(path []string, name string) []string {
	return append(path[:len(path):len(path)], name)
}
