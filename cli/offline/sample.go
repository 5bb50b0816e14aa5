package offline

import (
	"encoding/json"
	"strconv"
	"strings"
)

// sampleOf makes a value that fits a schema, with no more in it than must be there. It is not ok where the schema says more
// than a value can be made up for, as by a pattern.
func sampleOf(schema *Schema) (value any, ok bool) {
	switch {
	case schema.Const != nil:
		return schema.Const, true
	case len(schema.Enum) > 0:
		return schema.Enum[0], true
	case len(schema.AnyOf) > 0:
		return sampleOf(schema.AnyOf[0])
	case schema.Not != nil || len(schema.AllOf) > 0 || schema.Comment != "" || schema.Pattern != "":
		return nil, false
	}
	switch typeName(schema.Type) {
	case "string":
		least, _ := strconv.Atoi(schema.MinLength.String())
		return strings.Repeat("x", max(least, 1)), true
	case "integer", "number":
		return sampleNumber(schema)
	case "boolean":
		return true, true
	case "array":
		return sampleList(schema)
	case "object":
		return sampleMap(schema)
	}
	return nil, false
}

func typeName(typ any) string {
	switch typ := typ.(type) {
	case string:
		return typ
	case []string:
		if len(typ) > 0 {
			return typ[len(typ)-1] // null comes first
		}
	}
	return ""
}

func sampleNumber(schema *Schema) (any, bool) {
	if schema.MultipleOf != "" {
		return nil, false
	}
	number := 1.0
	if least, err := schema.Minimum.Float64(); err == nil {
		number = max(number, least)
	}
	if least, err := schema.ExclusiveMinimum.Float64(); err == nil {
		number = max(number, least+1)
	}
	if most, err := schema.Maximum.Float64(); err == nil {
		number = min(number, most)
	}
	if most, err := schema.ExclusiveMaximum.Float64(); err == nil {
		number = min(number, most-1)
	}
	return json.Number(strconv.FormatFloat(number, 'f', -1, 64)), true
}

func sampleList(schema *Schema) (any, bool) {
	list := []any{}
	for _, item := range schema.PrefixItems {
		value, ok := sampleOf(item)
		if !ok {
			return nil, false
		}
		list = append(list, value)
	}
	least, _ := strconv.Atoi(schema.MinItems.String())
	for len(list) < least {
		if schema.Items == nil {
			return nil, false
		}
		value, ok := sampleOf(schema.Items)
		if !ok {
			return nil, false
		}
		list = append(list, value)
	}
	return list, true
}

func sampleMap(schema *Schema) (any, bool) {
	fields := map[string]any{}
	for _, name := range schema.Required {
		value, ok := sampleOf(schema.Properties[name])
		if !ok {
			return nil, false
		}
		fields[name] = value
	}
	return fields, true
}
