package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"wheelwright.dev/wheelwright/cli/offline"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

func schemaCommand() *cobra.Command {
	var options offline.SchemaOptions
	var output string
	command := &cobra.Command{
		Use:   "schema NAME --definitions DIR",
		Short: "Print which parameters a definition takes, as a table or as JSON Schema",
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			options.Name = args[0]
			bench := offline.NewWorkbench(evaluate.Options{})
			defer bench.Close()
			parameters, err := bench.ParametersOf(command.Context(), options)
			if err != nil {
				return err
			}
			switch output {
			case "table":
				fmt.Fprint(command.OutOrStdout(), parameters.Table)
				return nil
			case "json":
				fmt.Fprint(command.OutOrStdout(), parameters.JSONSchema)
				return nil
			}
			return fmt.Errorf("unknown output %q: use table or json", output)
		},
	}
	command.Flags().StringVar(&options.Definitions, "definitions", "", "folder of definitions, as wheel render reads it")
	command.Flags().StringVar(&options.Kind, "kind", "", "component or trait; without it, a component of that name and else a trait")
	command.Flags().StringVarP(&output, "output", "o", "table", "table or json")
	_ = command.MarkFlagRequired("definitions") // fails for flags that are not there only
	return command
}
