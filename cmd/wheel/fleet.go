package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"wheelwright.dev/wheelwright/cli/demo"
	"wheelwright.dev/wheelwright/cli/local"
	"wheelwright.dev/wheelwright/cli/terminal"
	"wheelwright.dev/wheelwright/fleet"
	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/ocm/work"
)

const (
	fleetFolder = ".wheelwright/fleet"
	demoFolder  = ".wheelwright/demo"
)

// fleetFlags are what an embedded fleet can be told.
type fleetFlags struct {
	dir     string
	hubPort int
	poll    bool
}

func (f *fleetFlags) add(command *cobra.Command, dir string) {
	command.Flags().StringVar(&f.dir, "dir", dir, "folder of the fleet: kubeconfigs, logs and data")
	command.Flags().IntVar(&f.hubPort, "hub-port", 0, "port of the hub's API server; 0 picks a free one")
	command.Flags().BoolVar(&f.poll, "poll", false, "let the work agents poll for feedback, as those of older OCM releases do")
}

func (f *fleetFlags) options(progress fleet.Progress) fleet.Options {
	options := fleet.Options{HubPort: f.hubPort, Spokes: fleet.DefaultSpokes(), Progress: progress}
	if f.poll {
		options.Feedback = work.PollOnly
	}
	return options
}

func demoCommand() *cobra.Command {
	var flags fleetFlags
	command := &cobra.Command{
		Use:   "demo",
		Short: "Start a hub and two clusters, deliver an application, change it and delete it",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			steps := terminal.NewSteps(command.OutOrStdout())
			defer steps.Close()
			steps.Printf("Starting a hub and two clusters, dev-eu and prod-eu: real Kubernetes control planes on this machine.\n")
			err := local.Run(command.Context(), local.At(flags.dir), flags.options(steps.Begin), command.ErrOrStderr(),
				func(ctx context.Context, f *fleet.Embedded) error { return demo.Run(ctx, f, steps) })
			if err == nil {
				steps.Printf("%s", demoGoodbye)
			}
			return err
		},
	}
	flags.add(command, demoFolder)
	return command
}

const demoGoodbye = `
The demonstration is over and its fleet has ended. To go on by hand:

  bin/wheel up                                        start such a fleet and keep it running
  export KUBECONFIG=` + fleetFolder + `/kubeconfig         contexts: hub, dev-eu, prod-eu
  kubectl --context hub apply -f examples/quickstart/definition.yaml -f examples/quickstart/application.yaml
  bin/wheel get application shop -n shop              component × cluster, as the hub reads it
  kubectl --context hub get applications -A           what a person writes
  kubectl --context hub get manifestworks -A          what travels
  kubectl --context dev-eu get components -A          what a spoke works on
  bin/wheel down                                      end the fleet
`

func upCommand() *cobra.Command {
	var flags fleetFlags
	command := &cobra.Command{
		Use:   "up",
		Short: "Start a hub and two clusters and keep them running",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if _, err := build.ControlPlane(command.Context(), command.ErrOrStderr()); err != nil {
				return err
			}
			return up(command.Context(), command.OutOrStdout(), flags)
		},
	}
	flags.add(command, fleetFolder)
	return command
}

func up(ctx context.Context, out io.Writer, flags fleetFlags) error {
	folder, steps := local.At(flags.dir), terminal.NewSteps(out)
	defer steps.Close()
	args := []string{runFleet, "--dir", flags.dir, fmt.Sprintf("--hub-port=%d", flags.hubPort), fmt.Sprintf("--poll=%t", flags.poll)}
	if err := local.Background(ctx, folder, steps, args...); err != nil {
		return err
	}
	state, err := folder.State()
	if err != nil {
		return err
	}
	steps.Printf(`
The fleet is up. What to do with it:

  export KUBECONFIG=%s        contexts: %s
  kubectl --context %s apply -f examples/quickstart/definition.yaml -f examples/quickstart/application.yaml
  wheel get application shop -n shop
  wheel down --dir %s         end it
`, state.Kubeconfig, strings.Join(append([]string{state.Hub}, state.Spokes...), ", "), state.Hub, flags.dir)
	return nil
}

func downCommand() *cobra.Command {
	var dir string
	command := &cobra.Command{
		Use:   "down",
		Short: "End the fleet that 'wheel up' started",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			folder := local.At(dir)
			if !folder.Running() {
				return fmt.Errorf("no fleet is running in %s", dir)
			}
			state, err := folder.State()
			if err != nil {
				return fmt.Errorf("the fleet in %s is just starting: try again when it is up (%w)", dir, err)
			}
			steps := terminal.NewSteps(command.OutOrStdout())
			defer steps.Close()
			return steps.Run("ending the fleet", func() error {
				if err := syscall.Kill(state.Pid, syscall.SIGTERM); err != nil {
					return fmt.Errorf("ending process %d: %w", state.Pid, err)
				}
				if err := folder.AwaitEnd(); err != nil {
					return err
				}
				return folder.Remove()
			})
		},
	}
	command.Flags().StringVar(&dir, "dir", fleetFolder, "folder of the fleet")
	return command
}

const runFleet = "run-fleet"

// runFleetCommand is the process behind 'wheel up'.
func runFleetCommand() *cobra.Command {
	var flags fleetFlags
	command := &cobra.Command{
		Use:    runFleet,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			reporter, ctx, err := local.Report(command.Context())
			if err != nil {
				return err
			}
			err = local.Run(ctx, local.At(flags.dir), flags.options(reporter.Progress), os.Stderr,
				func(ctx context.Context, _ *fleet.Embedded) error {
					if err := reporter.Ready(); err != nil {
						return err
					}
					<-ctx.Done()
					return nil
				})
			if err != nil {
				reporter.Failed(err)
			}
			return err
		},
	}
	flags.add(command, fleetFolder)
	return command
}
