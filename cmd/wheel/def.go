package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	def "wheelwright.dev/wheelwright/cli/definitions"
	"wheelwright.dev/wheelwright/cli/offline"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

func defCommand() *cobra.Command {
	command := &cobra.Command{Use: "def", Short: "Bring definitions from a folder to a cluster, and from KubeVela into a folder"}
	command.AddCommand(defApplyCommand(), defDiffCommand(), defImportCommand())
	return command
}

func defApplyCommand() *cobra.Command {
	var options def.ApplyOptions
	var kubeContext, output string
	command := &cobra.Command{
		Use:   "apply DIR",
		Short: "Apply the definitions of a folder to a cluster, if none of them is broken",
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			if !slices.Contains([]string{"table", "json", "yaml"}, output) {
				return fmt.Errorf("unknown output %q: use table, json or yaml", output)
			}
			read, err := readDefinitions(command.Context(), command.OutOrStdout(), args[0])
			if err != nil {
				return err
			}
			if options.DryRun && output != "table" {
				return printDefinitions(command.OutOrStdout(), read, output)
			}
			cluster, err := hubClient(kubeContext)
			if err != nil {
				return err
			}
			results, err := def.Apply(command.Context(), cluster, read, options)
			if err != nil && len(results) > 0 { // before the cluster gave no answer any more
				err = errors.Join(err, def.Print(command.ErrOrStderr(), results))
			}
			if err != nil {
				return err
			}
			return printApplied(command, results, output, args[0], options)
		},
	}
	command.Flags().StringVar(&kubeContext, "context", "", "context of the hub, or of a spoke, in the kubeconfig")
	command.Flags().BoolVar(&options.DryRun, "dry-run", false,
		"let the cluster check everything and write nothing; with -o json or yaml, print the objects and ask no cluster")
	command.Flags().BoolVar(&options.Force, "force", false, "take over what other field managers own")
	command.Flags().StringVarP(&output, "output", "o", "table", "table, json or yaml")
	return command
}

// readDefinitions reads a folder of definitions. It prints what is wrong with them; the error then says how much that is.
func readDefinitions(ctx context.Context, out io.Writer, dir string) ([]def.Definition, error) {
	bench := offline.NewWorkbench(evaluate.Options{})
	defer bench.Close()
	read, problems, err := def.Read(ctx, bench, dir)
	if err != nil {
		return nil, err
	}
	return read, printProblems(out, problems, dir)
}

func printDefinitions(out io.Writer, read []def.Definition, output string) error {
	if output == "json" {
		return def.WriteJSON(out, read)
	}
	return def.WriteYAML(out, read)
}

// printApplied prints what became of definitions and what to do next. The error says how many failed.
func printApplied(command *cobra.Command, results []def.Result, output, dir string, options def.ApplyOptions) error {
	failures := def.Failures(results)
	if output != "table" {
		if err := printValue(command, results, output); err != nil {
			return err
		}
	} else if err := printAppliedTable(command.OutOrStdout(), results, dir, options); err != nil {
		return err
	}
	if failures > 0 {
		return fmt.Errorf("%d of %d definitions were not applied: put right what is said of them, and run wheel def apply %s again",
			failures, len(results), dir)
	}
	return nil
}

func printAppliedTable(out io.Writer, results []def.Result, dir string, options def.ApplyOptions) error {
	if err := def.Print(out, results); err != nil {
		return err
	}
	switch {
	case def.Failures(results) > 0: // the error says what is next
	case options.DryRun:
		fmt.Fprintf(out, "\nNothing was written. Next: wheel def apply %s\n", dir)
	default:
		fmt.Fprintf(out, "\nAn Application adopts what has changed when its spec changes. Next: wheel schema NAME --definitions %s\n", dir)
	}
	return nil
}
