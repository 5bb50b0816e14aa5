package offline

import (
	"slices"

	cuelang "cuelang.org/go/cue"
)

// jsonTypes are the types of JSON Schema that make up a kind, in the order in which people list them.
func jsonTypes() []jsonType {
	return []jsonType{
		{cuelang.NullKind, "null"}, {cuelang.BoolKind, "boolean"}, {cuelang.NumberKind, "number"}, {cuelang.FloatKind, "number"},
		{cuelang.IntKind, "integer"}, {cuelang.StringKind, "string"}, {cuelang.BytesKind, "string"},
		{cuelang.StructKind, "object"}, {cuelang.ListKind, "array"},
	}
}

type jsonType struct {
	kind cuelang.Kind
	name string
}

// typeOf names a kind as JSON Schema does: nil for any, a string for one, and else a list.
func typeOf(kind cuelang.Kind) any {
	if kind == cuelang.TopKind {
		return nil
	}
	var names []string
	for _, known := range jsonTypes() {
		if kind&known.kind == known.kind {
			if !slices.Contains(names, known.name) { // bytes travel as text
				names = append(names, known.name)
			}
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
