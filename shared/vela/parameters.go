package vela

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	cuelang "cuelang.org/go/cue"

	"wheelwright.dev/wheelwright/shared/cue"
)

// CheckParameters finds what is wrong with properties by themselves: wrong types and values, and what is missing. Unknown
// ones are accepted, as KubeVela does. The error is a *cue.Error.
func (t *Template) CheckParameters(properties []byte) error {
	done, content, err := t.withoutParameters(properties)
	if err != nil {
		return err
	}
	defer done.close()
	problems, err := cue.ExplainParameters(done.root.LookupPath(pathOf(parameterField)), content)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return &cue.Error{Problems: problems}
	}
	return nil
}

// Unknown names the parameters that are accepted and do nothing.
func (t *Template) Unknown(properties []byte) []string {
	known := t.known()
	if known == nil {
		return nil
	}
	given, err := decodeMap(properties)
	if err != nil {
		return nil
	}
	var messages []string
	for _, path := range unknownIn(known, given, nil) {
		messages = append(messages, fmt.Sprintf("parameter %q is unknown to %s and has no effect", path, t.definition.Name))
	}
	return messages
}

// withoutParameters evaluates the definition as it is before it gets parameters, and gives the properties in canonical form.
func (t *Template) withoutParameters(properties []byte) (*evaluation, []byte, error) {
	if trimmed := bytes.TrimSpace(properties); len(trimmed) == 0 || bytes.Equal(trimmed, []byte("null")) {
		properties = []byte("{}")
	}
	if err := cue.CheckProperties(properties); err != nil {
		return nil, nil, err
	}
	content, err := canonical(properties)
	if err != nil {
		return nil, nil, err
	}
	fields, err := t.contextFor(cue.PlaceholderContext(), nil)
	if err != nil {
		return nil, nil, err
	}
	in, err := newInput(fields, nil)
	if err != nil {
		return nil, nil, err
	}
	done, err := t.text.evaluate(in)
	return done, content, err
}

// knownFields are the fields of a struct by name. Nil stands for a struct that declares none and takes anything.
type knownFields map[string]knownFields

// readKnown reads the parameters that the definition declares.
func (t *Template) readKnown() knownFields {
	done, _, err := t.withoutParameters(nil)
	if err != nil {
		return nil
	}
	defer done.close()
	return fieldsOf(done.root.LookupPath(pathOf(parameterField)))
}

func fieldsOf(schema cuelang.Value) knownFields {
	fields, err := schema.Fields(cuelang.Optional(true))
	if err != nil {
		return nil
	}
	var known knownFields
	for fields.Next() {
		if known == nil {
			known = knownFields{}
		}
		field := fields.Value()
		known[fields.Selector().Unquoted()] = nil
		if field.IncompleteKind() == cuelang.StructKind {
			known[fields.Selector().Unquoted()] = fieldsOf(field)
		}
	}
	return known
}

// unknownIn walks the maps of given beside what is known.
func unknownIn(known knownFields, given map[string]any, path []string) []string {
	if known == nil {
		return nil
	}
	var unknown []string
	for _, key := range slices.Sorted(maps.Keys(given)) {
		here := append(slices.Clone(path), key)
		below, declared := known[key]
		if !declared {
			unknown = append(unknown, cue.ParameterPath(here))
			continue
		}
		if fields, ok := given[key].(map[string]any); ok {
			unknown = append(unknown, unknownIn(below, fields, here)...)
		}
	}
	return unknown
}
