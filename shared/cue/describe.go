package cue

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
)

// maxDescribed bounds how much of a value a message repeats.
const maxDescribed = 80

// kindNames are the types under the names that people know from JSON, YAML and CUE.
var kindNames = []struct {
	kind cue.Kind
	name string
}{
	{cue.NullKind, "null"},
	{cue.BoolKind, "bool"},
	{cue.NumberKind, "number"},
	{cue.IntKind, "int"},
	{cue.FloatKind, "float"},
	{cue.StringKind, "string"},
	{cue.BytesKind, "bytes"},
	{cue.StructKind, "map"},
	{cue.ListKind, "list"},
}

// wantedType names the types that schema takes, and its default.
func wantedType(schema cue.Value) string {
	kind := schema.IncompleteKind()
	var names []string
	for _, known := range kindNames {
		if kind&known.kind == known.kind {
			names = append(names, known.name)
			kind &^= known.kind
		}
	}
	wanted := strings.Join(names, " or ")
	if value, ok := schema.Default(); ok && value.Kind() != cue.StructKind && value.Kind() != cue.ListKind {
		wanted += fmt.Sprintf(", default %v", value)
	}
	return wanted
}

// describe is a given value with its type.
func describe(encoded []byte, given any) string {
	text := shorten(string(encoded))
	switch given.(type) {
	case nil:
		return "null"
	case bool:
		return "bool " + text
	case string:
		return "string " + text
	case json.Number:
		return "number " + text
	case []any:
		return "list " + text
	}
	return "map " + text
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > maxDescribed {
		return string(runes[:maxDescribed]) + "…"
	}
	return text
}

// display is a parameter's path in quotes.
func display(path []string) string { return strconv.Quote(parameterPath(path)) }

// parameterPath is the path of a parameter, with keys that would be misread in quotes of their own.
func parameterPath(path []string) string {
	segments := make([]string, len(path))
	for i, segment := range path {
		if segment == "" || strings.ContainsAny(segment, `. []"`) {
			segment = strconv.Quote(segment)
		}
		segments[i] = segment
	}
	return formatPath(segments)
}
