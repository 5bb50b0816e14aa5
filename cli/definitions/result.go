package definitions

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Action is what was done with a definition.
type Action string

const (
	// Created and Configured definitions were written to a cluster, Unchanged ones are there already.
	Created    Action = "created"
	Configured Action = "configured"
	Unchanged  Action = "unchanged"
	// Failed definitions were refused; Result.Reason says why.
	Failed Action = "failed"
	// Written definitions are in the folder now. Skipped ones are not; Result.Reason says why.
	Written Action = "written"
	Skipped Action = "skipped"
)

// Result is what became of one definition.
type Result struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Action Action `json:"action"`
	// Reason says in a sentence why something was not done, and what to do.
	Reason string `json:"reason,omitempty"`
	// Failed is set where it should have been done.
	Failed bool `json:"failed,omitempty"`
}

func failed(kind, name string, action Action, err error) Result {
	return Result{Kind: kind, Name: name, Action: action, Reason: err.Error(), Failed: true}
}

// Failures counts the results that failed.
func Failures(results []Result) int {
	count := 0
	for _, result := range results {
		if result.Failed {
			count++
		}
	}
	return count
}

// Print writes results as a table.
func Print(out io.Writer, results []Result) error {
	table := tabwriter.NewWriter(out, 2, 0, 3, ' ', 0)
	fmt.Fprintln(table, "KIND\tNAME\tACTION")
	for _, result := range results {
		action := string(result.Action)
		if result.Reason != "" {
			action += ": " + strings.Join(strings.Fields(result.Reason), " ") // a table has one line for each
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", result.Kind, result.Name, action)
	}
	return table.Flush()
}
