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

// Unknown names the parameters that are accepted and do nothing, each with the one that may have been meant.
func (t *Template) Unknown(properties []byte) []string {
	done, content, err := t.withoutParameters(properties)
	if err != nil {
		return nil
	}
	defer done.close()
	given, err := decodeMap(content)
	if err != nil {
		return nil
	}
	var messages []string
	for _, path := range unknownIn(done.root.LookupPath(pathOf(parameterField)), given, nil) {
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
	fields, err := contextOf(cue.PlaceholderContext(), nil)
	if err != nil {
		return nil, nil, err
	}
	in, err := t.input(fields, nil)
	if err != nil {
		return nil, nil, err
	}
	done, err := t.text.evaluate(in)
	return done, content, err
}

// unknownIn walks the maps of given beside a schema. A schema that declares nothing takes anything.
func unknownIn(schema cuelang.Value, given map[string]any, path []string) []string {
	fields, err := schema.Fields(cuelang.Optional(true))
	if err != nil || !fields.Next() {
		return nil
	}
	var unknown []string
	for _, key := range slices.Sorted(maps.Keys(given)) {
		here := append(slices.Clone(path), key)
		field := schema.LookupPath(cuelang.MakePath(cuelang.Str(key).Optional()))
		if !field.Exists() {
			unknown = append(unknown, cue.ParameterPath(here))
			continue
		}
		if below, ok := given[key].(map[string]any); ok && field.IncompleteKind() == cuelang.StructKind {
			unknown = append(unknown, unknownIn(field, below, here)...)
		}
	}
	return unknown
}
