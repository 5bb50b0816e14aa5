package terminal

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table writes rows in columns, the first one as their head. On a terminal no line is longer than it is wide; elsewhere nothing
// is left out.
func Table(out io.Writer, rows [][]string) error {
	return table(out, rows, Width(out))
}

func table(out io.Writer, rows [][]string, width int) error {
	var buffer bytes.Buffer
	columns := tabwriter.NewWriter(&buffer, 2, 0, 3, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(columns, strings.Join(row, "\t"))
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(buffer.String()) {
		if _, err := fmt.Fprintln(out, Cut(strings.TrimRight(line, " \n"), width)); err != nil {
			return err
		}
	}
	return nil
}
