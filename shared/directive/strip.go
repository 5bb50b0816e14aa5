package directive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"wheelwright.dev/wheelwright/shared/cue"
)

// stripper takes directives out of properties.
type stripper struct {
	open      []string
	malformed []Unresolved
}

func (s *stripper) strip(properties []byte) ([]byte, error) {
	if !Has(properties) {
		return properties, nil
	}
	if err := cue.CheckProperties(properties); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(properties))
	decoder.UseNumber()
	fields := map[string]any{}
	if err := decoder.Decode(&fields); err != nil {
		return nil, fmt.Errorf("decoding properties: %w", err)
	}
	if s.isOpen(nil, fields) {
		// The properties as a whole come from elsewhere: all of them are open.
		s.open, fields = append(s.open, ""), map[string]any{}
	}
	s.fields(nil, fields)
	if len(s.malformed) > 0 {
		return nil, &UnresolvedError{Unresolved: s.malformed}
	}
	return json.Marshal(fields)
}

func (s *stripper) fields(path []string, fields map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		here := append(slices.Clip(path), key)
		if s.isOpen(here, fields[key]) {
			s.open = append(s.open, cue.ParameterPath(here))
			delete(fields, key)
			continue
		}
		if below, ok := fields[key].(map[string]any); ok {
			s.fields(here, below)
		}
	}
}

// isOpen tells whether value is a directive, or a list that has one somewhere in it.
func (s *stripper) isOpen(path []string, value any) bool {
	switch value := value.(type) {
	case map[string]any:
		_, is, err := read(value)
		if err != nil {
			s.malformed = append(s.malformed, Unresolved{Path: cue.ParameterPath(path), Directive: "from elsewhere", Reason: err.Error()})
		}
		return is
	case []any:
		return slices.ContainsFunc(value, func(item any) bool { return s.hasOpen(path, item) })
	}
	return false
}

func (s *stripper) hasOpen(path []string, value any) bool {
	if s.isOpen(path, value) {
		return true
	}
	fields, _ := value.(map[string]any)
	for _, field := range fields {
		if s.hasOpen(path, field) {
			return true
		}
	}
	return false
}
