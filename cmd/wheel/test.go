package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"wheelwright.dev/wheelwright/cli/offline"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

func testCommand() *cobra.Command {
	var options offline.TestOptions
	command := &cobra.Command{
		Use:   "test DIR",
		Short: "Run the cases that lie beside definitions: component/<name>/tests/<case>.yaml",
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			options.Definitions = args[0]
			bench := offline.NewWorkbench(evaluate.Options{})
			defer bench.Close()
			results, err := bench.Test(command.Context(), options)
			if err != nil {
				return err
			}
			return printResults(command.OutOrStdout(), results, args[0])
		},
	}
	command.Flags().BoolVar(&options.Update, "update", false, "write what a case gives into what it expects, where it fails")
	return command
}

// printResults prints a line for each case and what is wrong with those that fail. The error says how many do.
func printResults(out io.Writer, results []offline.CaseResult, dir string) error {
	if len(results) == 0 {
		return fmt.Errorf("there are no cases in %s: expected component/<name>/tests/<case>.yaml, or component/<name>.tests/<case>.yaml beside a file", dir)
	}
	failed := 0
	for _, result := range results {
		word := "ok"
		switch {
		case len(result.Failures) > 0:
			word = "FAIL"
			failed++
		case result.Updated:
			word = "updated"
		}
		fmt.Fprintf(out, "%-8s%s\n", word, result.File)
		for _, failure := range result.Failures {
			fmt.Fprintln(out, "    "+strings.ReplaceAll(failure, "\n", "\n    "))
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d cases failed", failed, len(results))
	}
	return nil
}
