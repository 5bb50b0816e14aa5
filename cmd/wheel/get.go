package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"wheelwright.dev/wheelwright/cli/readings"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

func getCommand() *cobra.Command {
	command := &cobra.Command{Use: "get", Short: "Show how things stand"}
	command.AddCommand(getApplicationCommand(), getComponentCommand())
	return command
}

func getApplicationCommand() *cobra.Command {
	var namespace, context, output string
	command := &cobra.Command{
		Use:     "application NAME",
		Aliases: []string{"app"},
		Short:   "Show each component on each cluster, as the hub reads it",
		Args:    cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			hubClient, err := hubClient(context)
			if err != nil {
				return err
			}
			app := &corev1alpha1.Application{}
			if err := hubClient.Get(command.Context(), types.NamespacedName{Namespace: namespace, Name: args[0]}, app); err != nil {
				return fmt.Errorf("reading Application %s/%s: %w", namespace, args[0], err)
			}
			rows, err := readings.List(command.Context(), hubClient, app)
			if err != nil {
				return err
			}
			return printRows(command, rows, output)
		},
	}
	command.Flags().StringVarP(&namespace, "namespace", "n", "default", "namespace of the Application on the hub")
	command.Flags().StringVar(&context, "context", "", "context of the hub in the kubeconfig")
	command.Flags().StringVarP(&output, "output", "o", "table", "table, json or yaml")
	return command
}

func printRows(command *cobra.Command, rows []readings.Row, output string) error {
	switch output {
	case "table":
		return readings.Print(command.OutOrStdout(), rows, time.Now())
	case "json":
		encoder := json.NewEncoder(command.OutOrStdout())
		encoder.SetIndent("", "  ")
		return encoder.Encode(rows)
	case "yaml":
		content, err := yaml.Marshal(rows)
		if err != nil {
			return err
		}
		_, err = command.OutOrStdout().Write(content)
		return err
	}
	return fmt.Errorf("unknown output %q: use table, json or yaml", output)
}

// hubClient reads the kubeconfig as kubectl does. Without a context it takes the current one.
func hubClient(context string) (client.Client, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{CurrentContext: context}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w; set KUBECONFIG to the hub's", err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1alpha1.AddToScheme, workv1.Install} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return client.New(config, client.Options{Scheme: scheme})
}
