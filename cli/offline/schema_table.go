package offline

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Print writes the parameters as a table, nested ones under their path: a.b for a field, a[] for what a list holds and a.*
// for what a map holds.
func (s *Schema) Print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	if _, others := s.AdditionalProperties.(*Schema); len(s.order) == 0 && !others {
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
