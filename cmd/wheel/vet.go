package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"wheelwright.dev/wheelwright/cli/offline"
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
			for _, problem := range problems {
				fmt.Fprintln(command.OutOrStdout(), problem)
			}
			switch len(problems) {
			case 0:
				fmt.Fprintf(command.OutOrStdout(), "no problems in %d definitions\n", definitions)
				return nil
			case 1:
				return fmt.Errorf("1 problem found in %s", args[0])
			}
			return fmt.Errorf("%d problems found in %s", len(problems), args[0])
		},
	}
}
