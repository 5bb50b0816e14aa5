package offline

import (
	"encoding/json"
	"strings"
)

// typeText is the type in the words of CUE and YAML.
func (s *Schema) typeText() string {
	if s.AnyOf != nil {
		var names []string
		for _, alternative := range s.AnyOf {
			if name := alternative.typeText(); len(names) == 0 || names[len(names)-1] != name {
				names = append(names, name)
			}
		}
		return strings.Join(names, " or ")
	}
	switch kind := s.Type.(type) {
	case string:
		return s.nameOf(kind)
	case []string:
		names := make([]string, len(kind))
		for i, name := range kind {
			names[i] = s.nameOf(name)
		}
		return strings.Join(names, " or ")
	}
	return "any"
}

func (s *Schema) nameOf(kind string) string {
	rest, _ := s.AdditionalProperties.(*Schema)
	switch {
	case kind == "integer":
		return "int"
	case kind == "boolean":
		return "bool"
	case kind == "object" && rest != nil && len(s.order) == 0:
		return "map of " + rest.typeText()
	case kind == "object":
		return "map"
	case kind == "array" && s.Items != nil:
		return "list of " + s.Items.typeText()
	case kind == "array":
		return "list"
	}
	return kind
}

// constraint says which values of its type are taken.
func (s *Schema) constraint() string {
	var parts []string
	for _, bound := range []struct {
		word  string
		limit json.Number
	}{
		{"≥ ", s.Minimum}, {"> ", s.ExclusiveMinimum}, {"≤ ", s.Maximum}, {"< ", s.ExclusiveMaximum}, {"multiple of ", s.MultipleOf},
		{"length ≥ ", s.MinLength}, {"length ≤ ", s.MaxLength}, {"items ≥ ", s.MinItems}, {"items ≤ ", s.MaxItems},
	} {
		if bound.limit != "" {
			parts = append(parts, bound.word+bound.limit.String())
		}
	}
	if s.Pattern != "" {
		parts = append(parts, "matches "+s.Pattern)
	}
	if s.Enum != nil {
		parts = append(parts, "one of "+listed(s.Enum))
	}
	if s.Const != nil && s.Type != "null" {
		parts = append(parts, "always "+listed([]any{s.Const}))
	}
	if s.Not != nil {
		parts = append(parts, "not "+orDash(s.Not.negated()))
	}
	for _, part := range s.AllOf {
		parts = append(parts, part.constraint())
	}
	parts = append(parts, s.alternatives()...)
	if s.Comment != "" {
		parts = append(parts, s.Comment)
	}
	return strings.Join(parts, ", ")
}

// negated is what must not be.
func (s *Schema) negated() string {
	if s.Const != nil {
		return listed([]any{s.Const})
	}
	return s.constraint()
}

// alternatives says what is asked of those alternatives whose type does not take everything by another one.
func (s *Schema) alternatives() []string {
	takesAll := map[string]bool{}
	for _, alternative := range s.AnyOf {
		if alternative.constraint() == "" {
			takesAll[alternative.typeText()] = true
		}
	}
	var words []string
	for _, alternative := range s.AnyOf {
		if kind := alternative.typeText(); !takesAll[kind] {
			words = append(words, kind+" "+alternative.constraint())
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []string{strings.Join(words, " or ")}
}

func listed(values []any) string {
	words := make([]string, len(values))
	for i, value := range values {
		if encoded, ok := value.(json.RawMessage); ok {
			words[i] = string(encoded)
		}
	}
	return strings.Join(words, ", ")
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
