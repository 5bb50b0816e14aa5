package offline

import "encoding/json"

// Schema is a JSON Schema of draft 2020-12, of which it has what parameters need.
type Schema struct {
	Dialect     string `json:"$schema,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Type is a string, or a list of strings where there are several; nil for any.
	Type    any   `json:"type,omitempty"`
	Default any   `json:"default,omitempty"`
	Const   any   `json:"const,omitempty"`
	Enum    []any `json:"enum,omitempty"`

	Minimum          json.Number `json:"minimum,omitempty"`
	ExclusiveMinimum json.Number `json:"exclusiveMinimum,omitempty"`
	Maximum          json.Number `json:"maximum,omitempty"`
	ExclusiveMaximum json.Number `json:"exclusiveMaximum,omitempty"`
	MultipleOf       json.Number `json:"multipleOf,omitempty"`
	MinLength        json.Number `json:"minLength,omitempty"`
	MaxLength        json.Number `json:"maxLength,omitempty"`
	MinItems         json.Number `json:"minItems,omitempty"`
	MaxItems         json.Number `json:"maxItems,omitempty"`
	Pattern          string      `json:"pattern,omitempty"`

	Properties map[string]*Schema `json:"properties,omitempty"`
	Required   []string           `json:"required,omitempty"`
	// AdditionalProperties is a *Schema, or false where nothing else is taken; nil for anything.
	AdditionalProperties any       `json:"additionalProperties,omitempty"`
	Items                *Schema   `json:"items,omitempty"`
	PrefixItems          []*Schema `json:"prefixItems,omitempty"`
	Not                  *Schema   `json:"not,omitempty"`
	AnyOf                []*Schema `json:"anyOf,omitempty"`
	AllOf                []*Schema `json:"allOf,omitempty"`
	// Comment is CUE that JSON Schema has no words for.
	Comment string `json:"$comment,omitempty"`

	// order has the names of Properties as the definition lists them.
	order []string
	// defaultText is a default as the definition spells it: one that depends on the context is no JSON.
	defaultText string
}

// requires tells whether a property must be given.
func (s *Schema) requires(name string) bool {
	for _, required := range s.Required {
		if required == name {
			return true
		}
	}
	return false
}
