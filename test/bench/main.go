// Command bench measures Wheelwright on an embedded fleet, each figure beside a floor that is measured in the same run, and
// writes what it measured to bench/results/latest.json. Arguments choose some of render, memory, edit and spoke; without, all are
// taken.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"wheelwright.dev/wheelwright/agent"
	"wheelwright.dev/wheelwright/cli/terminal"
	"wheelwright.dev/wheelwright/fleet"
	"wheelwright.dev/wheelwright/fleet/build"
)

func main() {
	agent.ServeIfWorker()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctrl.SetLogger(logr.Discard())
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	steps := terminal.NewSteps(os.Stderr)
	defer steps.Close()
	root, err := build.Root()
	if err != nil {
		return err
	}
	var results records
	if asked("render") {
		err := steps.Run("rendering, beside CUE alone", func() error {
			results, err = rendering(ctx)
			return err
		})
		if err != nil {
			return fmt.Errorf("measuring render: %w", err)
		}
	}
	if asked("memory") || asked("edit") || asked("spoke") {
		onFleet, err := fleetResults(ctx, steps)
		if err != nil {
			return err
		}
		results = append(results, onFleet...)
	}
	if err := results.print(os.Stdout); err != nil {
		return err
	}
	return results.write(filepath.Join(root, "bench", "results", "latest.json"))
}

// asked tells whether the arguments choose a measurement.
func asked(id string) bool { return len(os.Args) == 1 || slices.Contains(os.Args[1:], id) }

func fleetResults(ctx context.Context, steps *terminal.Steps) (records, error) {
	assets, err := build.ControlPlane(ctx, os.Stderr)
	if err != nil {
		return nil, err
	}
	binaries, err := build.Wheelwright(ctx, os.Stderr)
	if err != nil {
		return nil, err
	}
	return onFleet(ctx, assets, binaries, steps)
}

// onFleet starts a fleet and takes all measurements on it, the fleet's own cost being part of none of them.
func onFleet(ctx context.Context, assets build.Assets, binaries string, steps *terminal.Steps) (found records, err error) {
	dir, err := os.MkdirTemp("", "wheelwright-bench-")
	if err != nil {
		return nil, err
	}
	running, err := fleet.Up(ctx, assets, binaries, fleet.Options{Dir: dir, Spokes: fleet.DefaultSpokes()[:1], Progress: steps.Begin})
	if err != nil {
		return nil, fmt.Errorf("%w; logs are in %s", err, dir)
	}
	defer func() {
		err = errors.Join(err, running.Stop(context.WithoutCancel(ctx)))
		if err == nil {
			err = os.RemoveAll(dir)
		}
	}()
	b, err := newBench(ctx, running, assets)
	if err != nil {
		return nil, err
	}
	for _, measure := range []struct {
		id, name string
		take     func(context.Context) ([]record, error)
	}{
		{"memory", "memory, idle and with 500 components", b.memory},
		{"edit", "edit to healthy, and its floor", b.editToHealthy},
		{"spoke", "3,000 components on a spoke, and their objects without", b.manyOnSpoke},
	} {
		if !asked(measure.id) {
			continue
		}
		err := steps.Run(measure.name, func() error {
			some, err := measure.take(ctx)
			found = append(found, some...)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("measuring %s: %w", measure.name, err)
		}
	}
	return found, nil
}
