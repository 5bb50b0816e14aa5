package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"
)

// record is one result. The floor was measured in the same run; ratio is value over floor, and goal says in words what is
// aimed at.
type record struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Floor float64 `json:"floor"`
	Ratio float64 `json:"ratio"`
	Goal  string  `json:"goal"`
}

func newRecord(name, unit string, value, floor float64, goal string) record {
	made := record{Name: name, Value: round(value), Unit: unit, Floor: round(floor), Goal: goal}
	if floor > 0 {
		made.Ratio = round(value / floor)
	}
	return made
}

func round(x float64) float64 { return float64(int64(x*100+0.5)) / 100 }

type records []record

func (r records) print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 2, 0, 3, ' ', 0)
	fmt.Fprintln(table, "NAME\tVALUE\tFLOOR\tRATIO\tGOAL")
	for _, one := range r {
		fmt.Fprintf(table, "%s\t%.2f %s\t%.2f %s\t%.2f\t%s\n", one.Name, one.Value, one.Unit, one.Floor, one.Unit, one.Ratio, one.Goal)
	}
	return table.Flush()
}

func (r records) write(path string) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(content, '\n'), 0o644)
}

// percentile of durations, in milliseconds.
func percentile(of []time.Duration, p float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	at := min(int(float64(len(sorted))*p/100), len(sorted)-1)
	return float64(sorted[at].Microseconds()) / 1000
}
