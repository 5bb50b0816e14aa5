package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"wheelwright.dev/wheelwright/cli/offline"
)

func vetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "vet DIR",
		Short: "Find everything in a folder of definitions that would fail later",
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			problems, err := offline.Vet(args[0])
			if err != nil {
				return err
			}
			for _, problem := range problems {
				fmt.Fprintln(command.OutOrStdout(), problem)
			}
			switch len(problems) {
			case 0:
				return nil
			case 1:
				return fmt.Errorf("1 problem found in %s", args[0])
			}
			return fmt.Errorf("%d problems found in %s", len(problems), args[0])
		},
	}
}
