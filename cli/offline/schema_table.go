package offline

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Print writes the parameters as a table, nested ones under their path: a.b for a field, a[] for what a list holds and a.*
// for what a map holds.
func (s *Schema) Print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	if len(s.order) == 0 && s.AdditionalProperties == nil || s.AdditionalProperties == false && len(s.order) == 0 {
		_, err := fmt.Fprintf(out, "%s has no parameters.\n", s.Title)
		return err
	}
	fmt.Fprintln(table, "NAME\tTYPE\tREQUIRED\tDEFAULT\tCONSTRAINT\tDESCRIPTION")
	s.printFields(table, "")
	return table.Flush()
}

func (s *Schema) printFields(table io.Writer, prefix string) {
	for _, name := range s.order {
		required := "no"
		if s.requires(name) {
			required = "yes"
		}
		s.Properties[name].printRow(table, prefix+name, required)
	}
	if rest, ok := s.AdditionalProperties.(*Schema); ok && (prefix == "" || rest.hasParts()) {
		rest.printRow(table, prefix+"*", "no")
	}
}

func (s *Schema) printRow(table io.Writer, path, required string) {
	row := []string{path, s.typeText(), required, orDash(s.defaultText), orDash(s.constraint()), orDash(s.Description)}
	fmt.Fprintln(table, strings.Join(row, "\t"))
	s.printFields(table, path+".")
	if s.Items != nil && s.Items.hasParts() {
		s.Items.printFields(table, path+"[].")
	}
	for _, alternative := range s.AnyOf {
		alternative.printFields(table, path+".")
	}
}

// hasParts tells whether there is more to say than a type.
func (s *Schema) hasParts() bool { return len(s.order) > 0 }

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
	if s.Const != nil {
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

func (s *Schema) alternatives() []string {
	var words []string
	for _, alternative := range s.AnyOf {
		if text := alternative.constraint(); text != "" {
			words = append(words, text)
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
