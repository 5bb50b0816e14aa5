package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	def "wheelwright.dev/wheelwright/cli/definitions"
	"wheelwright.dev/wheelwright/cli/offline"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

func defImportCommand() *cobra.Command {
	var options def.ImportOptions
	command := &cobra.Command{
		Use:   "import FILE|- --to DIR",
		Short: "Write KubeVela's definitions, from YAML as kubectl get prints it, into a folder of definitions",
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			input := command.InOrStdin()
			if args[0] != "-" {
				file, err := os.Open(args[0])
				if err != nil {
					return fmt.Errorf("opening the definitions to import: %w", err)
				}
				defer file.Close()
				input = file
			}
			bench := offline.NewWorkbench(evaluate.Options{})
			defer bench.Close()
			results, err := def.Import(command.Context(), bench, input, options)
			if err != nil {
				return err
			}
			return printImported(command.OutOrStdout(), results, options.To)
		},
	}
	command.Flags().StringVar(&options.To, "to", "", "folder of definitions to write into")
	command.Flags().BoolVar(&options.Overwrite, "overwrite", false, "replace files that are there already")
	_ = command.MarkFlagRequired("to") // fails for flags that are not there only
	return command
}

func printImported(out io.Writer, results []def.Result, dir string) error {
	if len(results) == 0 {
		return errors.New("the input holds no objects")
	}
	if err := def.Print(out, results); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nNext: wheel vet %s, then wheel def apply %s\n", dir, dir)
	if failures := def.Failures(results); failures > 0 {
		return fmt.Errorf("%d of %d objects were not imported", failures, len(results))
	}
	return nil
}
