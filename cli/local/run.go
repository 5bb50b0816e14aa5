package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/klog/v2"

	"wheelwright.dev/wheelwright/fleet"
	"wheelwright.dev/wheelwright/fleet/build"
)

// Run claims the folder, starts an embedded fleet in it and hands it to use. The fleet ends when use returns, and with ctx;
// then nothing of it is left but its logs. A fleet that ends by itself ends the context that use gets. Should the control
// plane have to be built first, progress is told.
func Run(ctx context.Context, folder Folder, options fleet.Options, progress io.Writer, use func(context.Context, *fleet.Embedded) error) (err error) {
	release, err := folder.Claim()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	assets, err := build.ControlPlane(ctx, progress)
	if err != nil {
		return err
	}
	binaries, err := besides()
	if err != nil {
		return err
	}
	// What the parts of the fleet in this process log is for who looks into a problem.
	log, err := os.Create(folder.Log())
	if err != nil {
		return err
	}
	defer func() { klog.LogToStderr(true); err = errors.Join(err, log.Close()) }()
	klog.LogToStderr(false)
	klog.SetOutput(log)
	options.Dir = folder.Path()
	running, err := fleet.Up(ctx, assets, binaries, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, running.Stop(context.WithoutCancel(ctx))) }()
	if err := folder.Write(stateOf(running)); err != nil {
		return err
	}
	if err := whileUp(ctx, running, use); err != nil {
		return errors.Join(running.Err(), err)
	}
	return running.Err()
}

// whileUp calls use with a context that ends with the fleet.
func whileUp(ctx context.Context, running *fleet.Embedded, use func(context.Context, *fleet.Embedded) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case <-running.Done():
			cancel(running.Err())
		case <-ctx.Done():
		}
	})
	defer watcher.Wait()
	defer cancel(nil)
	return use(ctx, running)
}

// besides is the folder of this program, which holds those of the fleet too.
func besides() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	folder := filepath.Dir(self)
	for _, name := range []string{"hub", "agent"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			return "", fmt.Errorf("%s is not beside this program: run 'make build' and use bin/wheel", name)
		}
	}
	return folder, nil
}

func stateOf(running *fleet.Embedded) State {
	state := State{Pid: os.Getpid(), Kubeconfig: running.Kubeconfig(), Hub: running.Hub().Name}
	for _, spoke := range running.Spokes() {
		state.Spokes = append(state.Spokes, spoke.Name)
	}
	return state
}
