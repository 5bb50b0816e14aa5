package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/workflows"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// answerTimeout is how long the agent is waited for.
const answerTimeout = 30 * time.Second

// spokeFlags say where a Component is.
type spokeFlags struct {
	namespace, context, step string
}

func (f *spokeFlags) add(command *cobra.Command) {
	command.Flags().StringVarP(&f.namespace, "namespace", "n", "default", "namespace of the Component")
	command.Flags().StringVar(&f.context, "context", "", "context of the Component's cluster in the kubeconfig")
}

func (f *spokeFlags) kubeconfig() (*rest.Config, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{CurrentContext: f.context}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w; set KUBECONFIG to that of the Component's cluster", err)
	}
	return config, nil
}

func (f *spokeFlags) config() (*rest.Config, client.Client, error) {
	config, err := f.kubeconfig()
	if err != nil {
		return nil, nil, err
	}
	scheme := runtime.NewScheme()
	if err := corev1alpha1.AddToScheme(scheme); err != nil {
		return nil, nil, err
	}
	spokeClient, err := client.New(config, client.Options{Scheme: scheme})
	return config, spokeClient, err
}

func workflowCommand() *cobra.Command {
	command := &cobra.Command{Use: "workflow", Short: "Hold, release and repeat the workflow of a Component, on its cluster"}
	for verb, short := range map[string]string{
		"suspend":   "Hold the workflow: what runs on the cluster goes on, and no further step begins",
		"resume":    "Let a suspended workflow go on",
		"restart":   "Begin the workflow of the last event anew; what its steps made is not taken for the new ones'",
		"terminate": "End the workflow for good; a Component that is being deleted goes without it",
	} {
		command.AddCommand(workflowVerb(verb, short))
	}
	command.AddCommand(workflowLogs())
	return command
}

func workflowVerb(verb, short string) *cobra.Command {
	var flags spokeFlags
	command := &cobra.Command{
		Use: verb + " component NAME", Short: short, Args: componentArgs,
		RunE: func(command *cobra.Command, args []string) error {
			_, spokeClient, err := flags.config()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(command.Context(), answerTimeout)
			defer cancel()
			key := client.ObjectKey{Namespace: flags.namespace, Name: args[1]}
			came, err := workflows.Ask(ctx, spokeClient, key, workflows.Request{Verb: verb, Step: flags.step})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(command.OutOrStdout(), came.Message)
			return err
		},
	}
	flags.add(command)
	if verb == "restart" {
		command.Flags().StringVar(&flags.step, "step", "", "step to begin from; those before it keep what they returned")
	}
	return command
}

func workflowLogs() *cobra.Command {
	var flags spokeFlags
	command := &cobra.Command{
		Use: "logs component NAME", Short: "Show what the steps came to, and what their Jobs wrote", Args: componentArgs,
		RunE: func(command *cobra.Command, args []string) error {
			config, spokeClient, err := flags.config()
			if err != nil {
				return err
			}
			component := &corev1alpha1.Component{}
			if err := spokeClient.Get(command.Context(), client.ObjectKey{Namespace: flags.namespace, Name: args[1]}, component); err != nil {
				return fmt.Errorf("reading Component %s/%s: %w", flags.namespace, args[1], err)
			}
			spoke, err := kubernetes.NewForConfig(config)
			if err != nil {
				return err
			}
			return workflows.Logs(command.Context(), command.OutOrStdout(), spoke, component, flags.step)
		},
	}
	flags.add(command)
	command.Flags().StringVar(&flags.step, "step", "", "show this step alone")
	return command
}

// componentArgs leaves room for other kinds that have workflows.
func componentArgs(_ *cobra.Command, args []string) error {
	if len(args) != 2 || args[0] != "component" && args[0] != "comp" {
		return fmt.Errorf("say whose workflow: component NAME")
	}
	return nil
}
