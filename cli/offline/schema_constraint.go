package offline

import (
	"encoding/json"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// constrain adds what an expression without alternatives asks of a value.
func constrain(schema *Schema, expression ast.Expr) {
	switch node := expression.(type) {
	case *ast.ParenExpr:
		constrain(schema, node.X)
	case *ast.BinaryExpr:
		if node.Op == token.AND {
			constrain(schema, node.X)
			constrain(schema, node.Y)
			return
		}
		schema.Comment = spell(node)
	case *ast.UnaryExpr:
		constrainBy(schema, node)
	case *ast.CallExpr:
		constrainByCall(schema, node)
	case *ast.Ident:
		constrainBySize(schema, node.Name)
	case *ast.BasicLit:
		schema.Const = constant(node)
	}
}

// constrainBy reads a comparison, and a number with a sign.
func constrainBy(schema *Schema, node *ast.UnaryExpr) {
	operand := constant(node.X)
	switch node.Op {
	case token.SUB, token.ADD:
		schema.Const = constant(node)
	case token.GEQ:
		schema.Minimum = json.Number(operand)
	case token.GTR:
		schema.ExclusiveMinimum = json.Number(operand)
	case token.LEQ:
		schema.Maximum = json.Number(operand)
	case token.LSS:
		schema.ExclusiveMaximum = json.Number(operand)
	case token.MAT:
		if schema.Pattern != "" {
			schema.AllOf = append(schema.AllOf, &Schema{Pattern: patternOf(node.X)})
			return
		}
		schema.Pattern = patternOf(node.X)
	case token.NMAT:
		schema.Not = &Schema{Pattern: patternOf(node.X)}
	case token.NEQ:
		schema.Not = &Schema{Const: operand}
	default:
		schema.Comment = spell(node)
	}
}

// constrainByCall reads a validator of CUE's standard library, such as strings.MinRunes(1).
func constrainByCall(schema *Schema, call *ast.CallExpr) {
	limits := map[string]*json.Number{
		"strings.MinRunes": &schema.MinLength, "strings.MaxRunes": &schema.MaxLength, "list.MinItems": &schema.MinItems,
		"list.MaxItems": &schema.MaxItems, "math.MultipleOf": &schema.MultipleOf,
	}
	if limit := limits[spell(call.Fun)]; limit != nil && len(call.Args) == 1 {
		*limit = json.Number(constant(call.Args[0]))
		return
	}
	schema.Comment = spell(call)
}

// constrainBySize gives the bounds that CUE folds into a type: it makes uint16 & >=1 of int & >=1 & <=65535.
func constrainBySize(schema *Schema, name string) {
	sizes := map[string][2]json.Number{
		"uint": {"0", ""}, "uint8": {"0", "255"}, "byte": {"0", "255"}, "uint16": {"0", "65535"}, "uint32": {"0", "4294967295"},
		"uint64": {"0", "18446744073709551615"}, "rune": {"0", "1114111"}, "int8": {"-128", "127"}, "int16": {"-32768", "32767"},
		"int32": {"-2147483648", "2147483647"}, "int64": {"-9223372036854775808", "9223372036854775807"},
	}
	// A comparison beside it is closer, and comes later or came before.
	if size, ok := sizes[name]; ok {
		if schema.Minimum == "" && schema.ExclusiveMinimum == "" {
			schema.Minimum = size[0]
		}
		if schema.Maximum == "" && schema.ExclusiveMaximum == "" {
			schema.Maximum = size[1]
		}
	}
}

// constant is a literal as JSON, or nil for what is none.
func constant(expression ast.Expr) json.RawMessage {
	switch node := expression.(type) {
	case *ast.ParenExpr:
		return constant(node.X)
	case *ast.UnaryExpr:
		if number := constant(node.X); node.Op == token.SUB && number != nil {
			return append(json.RawMessage("-"), number...)
		}
		return constant(node.X)
	case *ast.BasicLit:
		if node.Kind != token.STRING {
			return plainNumber(node)
		}
		text, err := literal.Unquote(node.Value)
		if err != nil {
			return nil
		}
		encoded, err := json.Marshal(text)
		if err != nil {
			return nil
		}
		return encoded
	}
	return nil
}

// plainNumber is a number, true, false or null as JSON spells it.
func plainNumber(node *ast.BasicLit) json.RawMessage {
	if json.Valid([]byte(node.Value)) {
		return json.RawMessage(node.Value)
	}
	var number literal.NumInfo
	if err := literal.ParseNum(node.Value, &number); err != nil {
		return nil
	}
	return json.RawMessage(number.String())
}

func patternOf(expression ast.Expr) string {
	var text string
	if encoded := constant(expression); encoded == nil || json.Unmarshal(encoded, &text) != nil {
		return spell(expression)
	}
	return text
}
