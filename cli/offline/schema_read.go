package offline

import (
	"encoding/json"
	"strings"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/token"
)

// deepest bounds how far down a schema is described: a definition may refer to itself.
const deepest = 12

// schemaReader describes CUE values as JSON Schema.
type schemaReader struct {
	// closed is set where a field that is not declared is refused.
	closed bool
	depth  int
}

// read describes a value. Placed is the same value with a context in place of an open one.
func (r schemaReader) read(value, placed cuelang.Value) *Schema {
	r.depth++
	schema := &Schema{Description: describe(value)}
	if r.depth > deepest {
		return schema
	}
	expression := expressionOf(value)
	if alternatives := alternativesIn(expression, false); len(alternatives) > 1 {
		r.readAlternatives(schema, value, alternatives)
		r.readDefault(schema, value, placed)
		if schema.Type == nil && schema.AnyOf == nil {
			schema.Type = typeOf(value.IncompleteKind())
		}
		return schema
	}
	schema.Type = typeOf(value.IncompleteKind())
	if operator, parts := value.Eval().Expr(); operator == cuelang.OrOp { // of structs, which have no such form together
		for _, part := range parts {
			schema.AnyOf = append(schema.AnyOf, r.read(part, part))
		}
		return schema
	}
	constrain(schema, expression)
	// The whole struct or list, since a conjunct knows its own fields only.
	switch value.IncompleteKind() {
	case cuelang.StructKind:
		r.readFields(schema, value, placed)
	case cuelang.ListKind:
		r.readItems(schema, value, placed)
	}
	if value.IncompleteKind()&(cuelang.StructKind|cuelang.ListKind) == 0 { // an open list has a default that nobody wrote
		r.readDefault(schema, value, placed)
	}
	return schema
}

func (r schemaReader) readFields(schema *Schema, value, placed cuelang.Value) {
	fields, err := value.Fields(cuelang.Optional(true))
	if err != nil {
		return
	}
	for fields.Next() {
		selector := fields.Selector()
		name := selector.Unquoted()
		there := placed.LookupPath(cuelang.MakePath(selector))
		if schema.Properties == nil {
			schema.Properties = map[string]*Schema{}
		}
		schema.Properties[name] = r.read(fields.Value(), there)
		schema.order = append(schema.order, name)
		if selector.ConstraintType() != cuelang.OptionalConstraint && there.Validate(cuelang.Concrete(true)) != nil {
			schema.Required = append(schema.Required, name)
		}
	}
	others := cuelang.MakePath(cuelang.AnyString)
	switch rest := value.LookupPath(others); {
	case rest.Exists() && rest.IncompleteKind() != cuelang.TopKind:
		schema.AdditionalProperties = r.read(rest, placed.LookupPath(others))
	case r.closed && !value.Allows(cuelang.AnyString):
		schema.AdditionalProperties = false
	}
}

func (r schemaReader) readItems(schema *Schema, value, placed cuelang.Value) {
	if items, err := value.List(); err == nil {
		for items.Next() {
			schema.PrefixItems = append(schema.PrefixItems, r.read(items.Value(), items.Value()))
		}
	}
	each := cuelang.MakePath(cuelang.AnyIndex)
	if item := value.LookupPath(each); item.Exists() && item.IncompleteKind() != cuelang.TopKind {
		schema.Items = r.read(item, placed.LookupPath(each))
	}
}

// readDefault takes the default of a disjunction.
func (r schemaReader) readDefault(schema *Schema, value, placed cuelang.Value) {
	if decided, ok := value.Default(); ok && decided.IsConcrete() && schema.Const == nil {
		if encoded, err := decided.MarshalJSON(); err == nil {
			schema.Default, schema.defaultText = json.RawMessage(encoded), string(encoded)
			return
		}
	}
	if there, ok := placed.Default(); ok && there.IsConcrete() {
		schema.defaultText = spelledDefault(value)
	}
}

// spelledDefault is the alternative that is marked as default, as it is written.
func spelledDefault(value cuelang.Value) string {
	text := ""
	ast.Walk(value.Syntax(cuelang.Raw()), func(node ast.Node) bool {
		if unary, ok := node.(*ast.UnaryExpr); ok && unary.Op == token.MUL && text == "" {
			text = spell(unary.X)
		}
		return text == ""
	}, nil)
	return text
}

func spell(node ast.Node) string {
	text, err := format.Node(node)
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// describe is the comment on a field, on one line. KubeVela's own files say what it means behind +usage=, and have other
// marks for programs.
func describe(value cuelang.Value) string {
	var lines []string
	for _, group := range value.Doc() {
		for _, line := range strings.Split(group.Text(), "\n") {
			line = strings.TrimPrefix(strings.TrimSpace(line), "+usage=")
			if line != "" && !strings.HasPrefix(line, "+") {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, " ")
}
