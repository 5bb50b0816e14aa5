package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"wheelwright.dev/wheelwright/cli/offline"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

func vetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "vet DIR",
		Short: "Find everything in a folder of definitions that would fail later",
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			bench := offline.NewWorkbench(evaluate.Options{})
			defer bench.Close()
			problems, definitions, err := bench.Vet(command.Context(), args[0])
			if err != nil {
				return err
			}
			if len(problems) == 0 {
				if definitions == 0 {
					return fmt.Errorf("there are no definitions in %s: expected component/<name>/*.cue, trait/<name>/*.cue or step/<name>/*.cue", args[0])
				}
				fmt.Fprintf(command.OutOrStdout(), "no problems; definitions looked at: %d\n", definitions)
			}
			return printProblems(command.OutOrStdout(), problems, args[0])
		},
	}
}

// printProblems prints a line for each problem. The error says how many there are.
func printProblems(out io.Writer, problems []cue.Problem, dir string) error {
	for _, problem := range problems {
		fmt.Fprintln(out, problem)
	}
	switch len(problems) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("1 problem found in %s", dir)
	}
	return fmt.Errorf("%d problems found in %s", len(problems), dir)
}
