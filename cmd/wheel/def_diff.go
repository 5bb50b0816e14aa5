package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	def "wheelwright.dev/wheelwright/cli/definitions"
)

func defDiffCommand() *cobra.Command {
	var context string
	var all bool
	command := &cobra.Command{
		Use:   "diff DIR",
		Short: "Show how the definitions of a cluster differ from those of a folder",
		Long: "Show how the definitions of a cluster differ from those of a folder.\n" +
			"The exit code is 0 if none does, 1 if any does, and 2 if that cannot be known.",
		Args: cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			read, err := readDefinitions(command.Context(), command.OutOrStdout(), args[0])
			if err != nil {
				return &exitError{code: exitUnknown, err: err}
			}
			cluster, err := hubClient(context)
			if err != nil {
				return &exitError{code: exitUnknown, err: err}
			}
			differences, err := def.Diff(command.Context(), cluster, read, all)
			if err != nil {
				return &exitError{code: exitUnknown, err: err}
			}
			return printDifferences(command.OutOrStdout(), differences, len(read), args[0])
		},
	}
	command.Flags().StringVar(&context, "context", "", "context of the hub, or of a spoke, in the kubeconfig")
	command.Flags().BoolVar(&all, "all", false, "count definitions that are only on the cluster")
	return command
}

func printDifferences(out io.Writer, differences []string, read int, dir string) error {
	for _, difference := range differences {
		fmt.Fprintln(out, difference)
	}
	if len(differences) == 0 {
		fmt.Fprintf(out, "All %d definitions of %s are on the cluster as they are there.\n", read, dir)
		return nil
	}
	fmt.Fprintf(out, "Definitions that differ: %d. Next: wheel def apply %s\n", len(differences), dir)
	return &exitError{code: exitDifferent}
}
