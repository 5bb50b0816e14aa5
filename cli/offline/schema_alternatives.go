package offline

import (
	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// alternative is one of the values that a disjunction takes.
type alternative struct {
	expression ast.Expr
	// preferred is the default.
	preferred bool
}

// alternativesIn takes a disjunction apart. What is none is one alternative.
func alternativesIn(expression ast.Expr, preferred bool) []alternative {
	switch node := expression.(type) {
	case *ast.ParenExpr:
		return alternativesIn(node.X, preferred)
	case *ast.UnaryExpr:
		if node.Op == token.MUL {
			return alternativesIn(node.X, true)
		}
	case *ast.BinaryExpr:
		if node.Op == token.OR {
			return append(alternativesIn(node.X, preferred), alternativesIn(node.Y, preferred)...)
		}
	}
	return []alternative{{expression: expression, preferred: preferred}}
}

// expressionOf is a value as CUE spells it once references are followed; nil where it has no such form. A comprehension has
// none: one that leads back to the value itself would be followed without an end.
func expressionOf(value cuelang.Value) ast.Expr {
	if hasComprehension(value) {
		return nil
	}
	switch node := value.Eval().Syntax(cuelang.Docs(true), cuelang.Optional(true)).(type) {
	case ast.Expr:
		return node
	case *ast.File: // one that imports something
		for _, decl := range node.Decls {
			if embedded, ok := decl.(*ast.EmbedDecl); ok {
				return embedded.Expr
			}
		}
	}
	return nil
}

func hasComprehension(value cuelang.Value) bool {
	found := false
	ast.Walk(value.Syntax(cuelang.Raw()), func(node ast.Node) bool {
		_, is := node.(*ast.Comprehension)
		found = found || is
		return !found
	}, nil)
	return found
}

// readAlternatives describes a disjunction: the values of one that lists values, and else each alternative. A default that
// another one takes anyway, as 80 in *80 | int, is none of them.
func (r schemaReader) readAlternatives(schema *Schema, value cuelang.Value, alternatives []alternative) {
	var kept []alternative
	var values []any
	for i, one := range alternatives {
		if one.preferred && covered(value.Context(), one, alternatives, i) {
			continue
		}
		kept = append(kept, one)
		if encoded := constant(one.expression); encoded != nil {
			values = append(values, encoded)
		}
	}
	switch {
	case len(values) == len(kept) && len(values) > 1:
		schema.Enum = values
	case len(kept) == 1:
		one := r.readExpression(value.Context(), kept[0].expression)
		one.Description = schema.Description
		*schema = *one
	default:
		for _, one := range kept {
			schema.AnyOf = append(schema.AnyOf, r.readExpression(value.Context(), one.expression))
		}
	}
}

// readExpression describes one alternative.
func (r schemaReader) readExpression(context *cuelang.Context, expression ast.Expr) *Schema {
	built := buildAlone(context, expression)
	if built.Err() != nil {
		schema := &Schema{}
		constrain(schema, expression)
		return schema
	}
	return r.read(built, built)
}

// buildAlone builds an expression in a field, since the CUE evaluator breaks down over some that stand by themselves.
func buildAlone(context *cuelang.Context, expression ast.Expr) cuelang.Value {
	const field = "it"
	whole := context.BuildExpr(ast.NewStruct(ast.NewIdent(field), expression))
	return whole.LookupPath(cuelang.ParsePath(field))
}

// covered tells whether one of the others takes all that an alternative does.
func covered(context *cuelang.Context, one alternative, alternatives []alternative, at int) bool {
	value := buildAlone(context, one.expression)
	for i, other := range alternatives {
		if i == at || other.preferred && i > at {
			continue
		}
		taker := buildAlone(context, other.expression)
		if taker.Err() != nil { // it calls a function of a package, whose import is not here
			if constant(one.expression) != nil && constant(other.expression) == nil {
				return true
			}
			continue
		}
		if taker.Subsume(value, cuelang.Raw()) == nil {
			return true
		}
	}
	return false
}
