package offline

import (
	"encoding/json"
	"fmt"
	"strings"

	cuelang "cuelang.org/go/cue"
)

// jsonTypes are the types of JSON Schema that make up a kind, in the order in which people list them.
var jsonTypes = []struct {
	kind cuelang.Kind
	name string
}{
	{cuelang.NullKind, "null"}, {cuelang.BoolKind, "boolean"}, {cuelang.NumberKind, "number"}, {cuelang.FloatKind, "number"},
	{cuelang.IntKind, "integer"}, {cuelang.StringKind, "string"}, {cuelang.BytesKind, "string"},
	{cuelang.StructKind, "object"}, {cuelang.ListKind, "array"},
}

// typeOf names a kind as JSON Schema does: nil for any, a string for one, and else a list.
func typeOf(kind cuelang.Kind) any {
	if kind == cuelang.TopKind {
		return nil
	}
	var names []string
	for _, known := range jsonTypes {
		if kind&known.kind == known.kind {
			names = append(names, known.name)
			kind &^= known.kind
		}
	}
	switch len(names) {
	case 0:
		return nil
	case 1:
		return names[0]
	}
	return names
}

// readAlternatives describes a disjunction: the values of one that lists values, and else each alternative, without those
// that another one covers, as *80 | int has 80.
func (r schemaReader) readAlternatives(schema *Schema, alternatives []cuelang.Value, placed cuelang.Value) {
	var kept []cuelang.Value
	for i, alternative := range alternatives {
		if !covered(alternative, alternatives, i) {
			kept = append(kept, alternative)
		}
	}
	var values []any
	for _, alternative := range kept {
		if encoded, err := alternative.MarshalJSON(); err == nil && alternative.IncompleteKind()&(cuelang.StructKind|cuelang.ListKind) == 0 {
			values = append(values, json.RawMessage(encoded))
		}
	}
	switch {
	case len(values) == len(kept) && len(values) > 1:
		schema.Enum = values
	case len(kept) == 1:
		one := r.read(kept[0], placed)
		one.Description = schema.Description
		*schema = *one
	default:
		for _, alternative := range kept {
			schema.AnyOf = append(schema.AnyOf, r.read(alternative, alternative))
		}
	}
}

// covered tells whether an alternative adds nothing to the others. Of two that are the same, the first stays.
func covered(alternative cuelang.Value, alternatives []cuelang.Value, at int) bool {
	for i, other := range alternatives {
		if i == at {
			continue
		}
		if other.Subsume(alternative, cuelang.Raw()) == nil && (i < at || alternative.Subsume(other, cuelang.Raw()) != nil) {
			return true
		}
		// What the context decides is covered by what takes it: *context.name | string.
		if !alternative.IsConcrete() && alternative.IncompleteKind() == cuelang.TopKind && other.IncompleteKind() != cuelang.TopKind {
			return true
		}
	}
	return false
}

// readConstraints takes a conjunction apart.
func (r schemaReader) readConstraints(schema *Schema, value cuelang.Value) {
	operator, arguments := value.Expr()
	switch operator {
	case cuelang.AndOp:
		for _, argument := range arguments {
			r.readConstraints(schema, argument)
		}
	case cuelang.OrOp:
		part := &Schema{}
		r.readAlternatives(part, arguments, value)
		schema.AllOf = append(schema.AllOf, part)
	case cuelang.CallOp:
		readCall(schema, arguments, value)
	case cuelang.GreaterThanEqualOp, cuelang.GreaterThanOp, cuelang.LessThanEqualOp, cuelang.LessThanOp:
		readBound(schema, operator, arguments[0])
	case cuelang.RegexMatchOp:
		readPattern(schema, arguments[0])
	case cuelang.NotEqualOp:
		if encoded, err := arguments[0].MarshalJSON(); err == nil {
			schema.Not = &Schema{Const: json.RawMessage(encoded)}
		}
	case cuelang.NotRegexMatchOp:
		schema.Not = &Schema{}
		readPattern(schema.Not, arguments[0])
	default:
		if encoded, err := value.MarshalJSON(); err == nil && value.IncompleteKind()&(cuelang.StructKind|cuelang.ListKind) == 0 {
			schema.Const = json.RawMessage(encoded)
		}
	}
}

func readPattern(schema *Schema, pattern cuelang.Value) {
	text, err := pattern.String()
	switch {
	case err != nil:
	case schema.Pattern == "":
		schema.Pattern = text
	default:
		schema.AllOf = append(schema.AllOf, &Schema{Pattern: text})
	}
}

func readBound(schema *Schema, operator cuelang.Op, limit cuelang.Value) {
	encoded, err := limit.MarshalJSON()
	if err != nil || limit.IncompleteKind()&cuelang.NumberKind == 0 {
		schema.Comment = fmt.Sprintf("%v %v", operator, limit)
		return
	}
	number := json.Number(encoded)
	switch operator {
	case cuelang.GreaterThanEqualOp:
		schema.Minimum = number
	case cuelang.GreaterThanOp:
		schema.ExclusiveMinimum = number
	case cuelang.LessThanEqualOp:
		schema.Maximum = number
	case cuelang.LessThanOp:
		schema.ExclusiveMaximum = number
	}
}

// readCall reads a validator of CUE's standard library, such as strings.MinRunes(1).
func readCall(schema *Schema, call []cuelang.Value, whole cuelang.Value) {
	name := strings.TrimSpace(fmt.Sprint(call[0]))
	fields := map[string]*json.Number{
		"strings.MinRunes": &schema.MinLength, "strings.MaxRunes": &schema.MaxLength, "list.MinItems": &schema.MinItems,
		"list.MaxItems": &schema.MaxItems, "math.MultipleOf": &schema.MultipleOf,
	}
	if field := fields[name]; field != nil && len(call) == 2 {
		if encoded, err := call[1].MarshalJSON(); err == nil {
			*field = json.Number(encoded)
			return
		}
	}
	schema.Comment = strings.Join(strings.Fields(fmt.Sprint(whole)), " ")
}
