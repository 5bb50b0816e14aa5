package cue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
)

// ExplainParameters finds every problem that properties have with schema. CUE's own errors would do neither for people
// nor for completeness: it stops looking for missing and unknown fields once types conflict.
//
// It looks twice. The first pass finds the values that are wrong by themselves. The second one looks with all the others
// in place, since a parameter may exist or be required only under a condition on another.
func ExplainParameters(schema cue.Value, properties []byte) ([]Problem, error) {
	given, err := decodeProperties(properties)
	if err != nil {
		return nil, err
	}
	first := &explainer{bad: map[string]bool{}}
	first.structure(nil, schema, given)

	sound, err := json.Marshal(first.withoutBad(nil, given))
	if err != nil {
		return nil, fmt.Errorf("encoding properties: %w", err)
	}
	rest, err := decodeJSON(schema.Context(), sound)
	if err != nil {
		return nil, err
	}
	second := &explainer{bad: map[string]bool{}}
	second.structure(nil, schema.Unify(rest), given)
	return second.problems, nil
}

// decodeProperties keeps numbers as they are written.
func decodeProperties(properties []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(properties))
	decoder.UseNumber()
	given := map[string]any{}
	if err := decoder.Decode(&given); err != nil {
		return nil, fmt.Errorf("decoding properties: %w", err)
	}
	return given, nil
}

// explainer walks properties beside their schema, and notes problems in the order of that walk.
type explainer struct {
	problems []Problem
	// bad are the paths of values that do not fit.
	bad map[string]bool
}

// structure compares the fields of a map with those that schema declares.
func (e *explainer) structure(path []string, schema cue.Value, given map[string]any) {
	required, declared := fieldsOf(schema)
	for _, key := range slices.Sorted(maps.Keys(given)) {
		field := schema.LookupPath(cue.MakePath(cue.Str(key).Optional()))
		switch {
		case field.Exists():
			e.value(below(path, key), field, given[key])
		case !schema.Allows(cue.Str(key)):
			e.unknown(path, key, declared)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(required)) {
		if _, ok := given[key]; !ok {
			e.missing(below(path, key), required[key])
		}
	}
}

// value compares one value of any type.
func (e *explainer) value(path []string, schema cue.Value, given any) {
	switch given := given.(type) {
	case map[string]any:
		if structure, ok := only(schema, cue.StructKind); ok {
			e.structure(path, structure, given)
			return
		}
	case []any:
		if list, ok := only(schema, cue.ListKind); ok {
			e.list(path, list, given)
			return
		}
	}
	e.leaf(path, schema, given)
}

func (e *explainer) list(path []string, schema cue.Value, given []any) {
	before := len(e.problems)
	for index, item := range given {
		element := schema.LookupPath(cue.MakePath(cue.Index(index)))
		if !element.Exists() {
			element = schema.LookupPath(cue.MakePath(cue.AnyIndex))
		}
		if element.Exists() {
			e.value(below(path, strconv.Itoa(index)), element, item)
		}
	}
	// Taking one item out would move the others, so a list is sound or not as a whole.
	if len(e.problems) > before {
		e.bad[parameterPath(path)] = true
		return
	}
	e.leaf(path, schema, given)
}

// leaf lets CUE judge a value by itself.
func (e *explainer) leaf(path []string, schema cue.Value, given any) {
	encoded, err := json.Marshal(given)
	if err != nil {
		e.wrong(path, fmt.Sprintf("parameter %s: %v", display(path), err))
		return
	}
	value, err := decodeJSON(schema.Context(), encoded)
	switch {
	case err != nil:
		e.wrong(path, fmt.Sprintf("parameter %s: %v", display(path), err))
	case schema.IncompleteKind() == cue.BottomKind:
		// Sound by itself, as the first pass found, and in conflict now that the others are in place.
		e.wrong(path, fmt.Sprintf("parameter %s: %s does not go with the other parameters: %s",
			display(path), shorten(string(encoded)), messagesOf(schema.Err())))
	case schema.Unify(value).Validate(cue.Concrete(true)) == nil:
	case schema.IncompleteKind()&value.IncompleteKind() == 0:
		e.wrong(path, fmt.Sprintf("parameter %s: got %s, want %s", display(path), describe(encoded, given), wantedType(schema)))
	default:
		e.wrong(path, fmt.Sprintf("parameter %s: %s is not allowed, want %s", display(path), shorten(string(encoded)), wantedValue(schema)))
	}
}

// missing notes path when it has neither value nor default, or else what is missing below it.
func (e *explainer) missing(path []string, schema cue.Value) {
	if schema.Validate(cue.Concrete(true)) == nil {
		return
	}
	before := len(e.problems)
	if structure, ok := only(schema, cue.StructKind); ok && schema.IncompleteKind() == cue.StructKind {
		e.structure(path, structure, nil)
	}
	if len(e.problems) == before {
		message := "missing required parameter " + display(path)
		if wanted := wantedType(schema); wanted != "" {
			message += " (" + wanted + ")"
		}
		e.note(path, message)
	}
}

func (e *explainer) unknown(path []string, key string, declared []string) {
	whole := below(path, key)
	message := "unknown parameter " + display(whole)
	switch near := nearest(key, declared); {
	case near != "":
		message += fmt.Sprintf(": did you mean %s?", display(below(path, near)))
	case len(declared) == 0:
		message += ": no parameters are declared here"
	default:
		message += ": declared are " + strings.Join(declared, ", ")
	}
	e.wrong(whole, message)
}

func (e *explainer) wrong(path []string, message string) {
	e.bad[parameterPath(path)] = true
	e.note(path, message)
}

func (e *explainer) note(path []string, message string) {
	e.problems = append(e.problems, Problem{Path: parameterPath(path), Message: message})
}

// withoutBad is the part of value that has nothing wrong in it.
func (e *explainer) withoutBad(path []string, value any) any {
	fields, ok := value.(map[string]any)
	if !ok {
		return value
	}
	sound := map[string]any{}
	for key, field := range fields {
		if whole := below(path, key); !e.bad[parameterPath(whole)] {
			sound[key] = e.withoutBad(whole, field)
		}
	}
	return sound
}

// fieldsOf gives the fields of schema that must have a value, and the names of all that it declares.
func fieldsOf(schema cue.Value) (required map[string]cue.Value, declared []string) {
	required = map[string]cue.Value{}
	fields, err := schema.Fields(cue.Optional(true))
	if err != nil {
		return required, nil
	}
	for fields.Next() {
		name := fields.Selector().Unquoted()
		declared = append(declared, name)
		if fields.Selector().ConstraintType() != cue.OptionalConstraint {
			required[name] = fields.Value()
		}
	}
	slices.Sort(declared)
	return required, declared
}

// only is the one alternative of schema that is of kind. Where there are several, nothing can be said about what lies
// below them.
func only(schema cue.Value, kind cue.Kind) (cue.Value, bool) {
	operator, alternatives := schema.Eval().Expr()
	if operator != cue.OrOp {
		return schema, schema.IncompleteKind()&kind != 0
	}
	var found []cue.Value
	for _, alternative := range alternatives {
		if alternative.IncompleteKind()&kind != 0 {
			found = append(found, alternative)
		}
	}
	if len(found) != 1 {
		return schema, false
	}
	return found[0], true
}

// below is path with one more segment, in memory of its own.
func below(path []string, segment string) []string {
	return append(slices.Clip(slices.Clone(path)), segment)
}
