package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/components"
	"wheelwright.dev/wheelwright/cli/live"
	"wheelwright.dev/wheelwright/cli/terminal"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// inspection is a command that reads one Component of a cluster, or some, and shows what it found.
type inspection struct {
	spokeFlags
	output string
	// outputs are the formats that there are, beside the one for people.
	outputs []string
	// cluster is set when the command runs.
	cluster client.WithWatch
}

// command makes `component NAME`, which stands below each verb.
func (i *inspection) command(short string, run func(command *cobra.Command, name string) error) *cobra.Command {
	command := &cobra.Command{
		Use: "component NAME", Aliases: []string{"comp", "components"}, Short: short, Args: cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			if err := i.connect(); err != nil {
				return err
			}
			return run(command, args[0])
		},
	}
	i.add(command)
	command.Flags().StringVarP(&i.output, "output", "o", "", strings.Join(i.outputs, " or ")+"; without it, what people read")
	return command
}

func (i *inspection) connect() error {
	if i.output != "" && !slices.Contains(i.outputs, i.output) {
		return fmt.Errorf("unknown output %q: use %s, or none", i.output, strings.Join(i.outputs, " or "))
	}
	config, err := i.kubeconfig()
	if err != nil {
		return err
	}
	i.cluster, err = live.Connect(config)
	return err
}

func (i *inspection) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: i.namespace, Name: name}
}

// verb makes a command whose one subcommand is about Components.
func verb(name, short string, component *cobra.Command) *cobra.Command {
	command := &cobra.Command{Use: name, Short: short}
	command.AddCommand(component)
	return command
}

// whileSlow tells on stderr what is going on, where it takes long.
func whileSlow(command *cobra.Command, name string, run func() error) error {
	return terminal.WhileSlow(command.ErrOrStderr(), name, run)
}

func getComponentCommand() *cobra.Command {
	show := &inspection{outputs: []string{"json", "yaml"}}
	everywhere := false
	command := show.command("Show the Components of a namespace, or one of them, on its cluster", nil)
	command.Use = "component [NAME]"
	command.Args = cobra.MaximumNArgs(1)
	command.RunE = func(command *cobra.Command, args []string) error {
		if everywhere && len(args) > 0 {
			return fmt.Errorf("a name is of one namespace: leave out -A, or the name %s", args[0])
		}
		if err := show.connect(); err != nil {
			return err
		}
		if everywhere {
			show.namespace = ""
		}
		if len(args) > 0 {
			return show.one(command, args[0])
		}
		return show.many(command)
	}
	command.Flags().BoolVarP(&everywhere, "all-namespaces", "A", false, "show those of all namespaces")
	return command
}

func (i *inspection) one(command *cobra.Command, name string) error {
	if i.output != "" {
		found, err := components.Read(command.Context(), i.cluster, i.key(name))
		if err != nil {
			return err
		}
		return printValue(command, found.Object, i.output)
	}
	component, err := live.Get(command.Context(), i.cluster, i.key(name))
	if err != nil {
		return err
	}
	return components.PrintOne(command.OutOrStdout(), component, time.Now())
}

func (i *inspection) many(command *cobra.Command) error {
	if i.output != "" {
		found, err := components.ReadAll(command.Context(), i.cluster, i.namespace)
		if err != nil {
			return err
		}
		return printValue(command, found.UnstructuredContent(), i.output)
	}
	var found []corev1alpha1.Component
	err := whileSlow(command, "reading the Components", func() (err error) {
		found, err = components.List(command.Context(), i.cluster, i.namespace)
		return err
	})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		_, err := fmt.Fprintln(command.OutOrStdout(), "There are no Components in "+i.where()+".")
		return err
	}
	return components.PrintTable(command.OutOrStdout(), found, i.namespace == "", time.Now())
}

func (i *inspection) where() string {
	if i.namespace == "" {
		return "this cluster"
	}
	return fmt.Sprintf("namespace %s; wheel get component -A shows those of all", i.namespace)
}
