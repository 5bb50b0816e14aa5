package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"wheelwright.dev/wheelwright/cli/offline"
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
			schema, err := offline.ParametersOf(options)
			if err != nil {
				return err
			}
			switch output {
			case "table":
				return schema.Print(command.OutOrStdout())
			case "json":
				encoder := json.NewEncoder(command.OutOrStdout())
				encoder.SetIndent("", "  ")
				encoder.SetEscapeHTML(false)
				return encoder.Encode(schema)
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
