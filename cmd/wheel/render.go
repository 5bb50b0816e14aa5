package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"wheelwright.dev/wheelwright/cli/offline"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// fromContext is the value of --status without a file. The file may also stand behind the flag as a word of its own.
const fromContext = "context"

func renderCommand() *cobra.Command {
	var options offline.Options
	var output, live string
	command := &cobra.Command{
		Use:   "render -f COMPONENT.yaml --definitions DIR",
		Short: "Print what a component renders to, without a cluster",
		Args: func(command *cobra.Command, args []string) error {
			if command.Flags().Changed("status") && live == fromContext {
				return cobra.MaximumNArgs(1)(command, args)
			}
			return cobra.NoArgs(command, args)
		},
		RunE: func(command *cobra.Command, args []string) error {
			bench := offline.NewWorkbench(evaluate.Options{Size: 1})
			defer bench.Close()
			result, err := bench.Render(command.Context(), options)
			if err != nil {
				return err
			}
			for _, warning := range result.Warnings {
				fmt.Fprintln(command.ErrOrStderr(), "warning:", warning)
			}
			for _, waiting := range result.Waiting() {
				fmt.Fprintln(command.ErrOrStderr(), "warning:", waiting)
			}
			if command.Flags().Changed("status") {
				return printStatus(command, result, statusFile(live, args), output)
			}
			objects := make([]any, 0, len(result.Objects))
			for _, object := range result.Objects {
				objects = append(objects, object.Object.Object)
			}
			return printValue(command, objects, output)
		},
	}
	command.Flags().StringVarP(&options.Component, "filename", "f", "", "file of the Component, YAML or JSON")
	command.Flags().StringVar(&options.Definitions, "definitions", "", "folder of definitions: component/<name>/*.cue, trait/<name>/*.cue, or files in KubeVela's form")
	command.Flags().StringVar(&options.Context, "context", "", "file with a map that is laid over the context: appName, clusterVersion, status, outputs, workflow, ...; and applicationParameters, sources and dependencies for from* directives")
	command.Flags().StringVar(&live, "status", "", "print isHealthy, message and exports instead, over the live objects in a file, by output name; without a file, over those in the context")
	command.Flags().Lookup("status").NoOptDefVal = fromContext
	command.Flags().StringVarP(&output, "output", "o", "yaml", "yaml or json")
	for _, required := range []string{"filename", "definitions"} {
		_ = command.MarkFlagRequired(required) // fails for flags that are not there only
	}
	return command
}

// printValue prints a value as YAML or JSON.
func printValue(command *cobra.Command, value any, output string) error {
	switch output {
	case "json":
		encoder := json.NewEncoder(command.OutOrStdout())
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	case "yaml":
		content, err := yaml.Marshal(value)
		if err != nil {
			return err
		}
		_, err = command.OutOrStdout().Write(content)
		return err
	}
	return fmt.Errorf("unknown output %q: use yaml or json", output)
}

func printStatus(command *cobra.Command, result *offline.Result, file, output string) error {
	status, err := result.Status(command.Context(), file)
	if err != nil {
		return err
	}
	return printValue(command, status, output)
}

// statusFile is the file that --status names, or "".
func statusFile(live string, args []string) string {
	if live != fromContext {
		return live
	}
	if len(args) == 1 {
		return args[0]
	}
	return ""
}
