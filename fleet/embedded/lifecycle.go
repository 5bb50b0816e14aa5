package embedded

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"wheelwright.dev/wheelwright/fleet/process"
)

// errStopped is the cause of an end that was asked for.
var errStopped = errors.New("control plane was stopped")

// stopOrder ends clients before the servers that they use.
var stopOrder = []string{kwok, scheduler, controllerManager, apiServer, etcd}

// Name is the name from the Options.
func (c *ControlPlane) Name() string { return c.name }

// Dir is the absolute path of the folder of its files.
func (c *ControlPlane) Dir() string { return c.options.Dir }

// LogFile is the file with the output of one of its programs: etcd, kube-apiserver,
// kube-controller-manager, kube-scheduler or kwok.
func (c *ControlPlane) LogFile(program string) string {
	return filepath.Join(c.options.Dir, "logs", program+".log")
}

// Pids returns the process ids of the running programs by name.
func (c *ControlPlane) Pids() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	pids := map[string]int{}
	for name, p := range c.processes {
		select {
		case <-p.Done():
		default:
			pids[name] = p.Pid()
		}
	}
	return pids
}

// Done is closed when the control plane has been stopped, or when one of its processes has
// ended by itself, which stops the others.
func (c *ControlPlane) Done() <-chan struct{} { return c.life.Done() }

// Err returns nil while the control plane runs and after Stop, and else what ended it.
func (c *ControlPlane) Err() error {
	if cause := context.Cause(c.life); cause != nil && !errors.Is(cause, errStopped) {
		return cause
	}
	return nil
}

// Stop ends all processes at once and returns when they are gone. They get no time to finish
// anything: their data is not needed any more, and a kube-apiserver that is asked to end waits
// a minute for its watchers. Stopping twice does no harm.
func (c *ControlPlane) Stop(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, name := range stopOrder {
		if p := c.processes[name]; p != nil {
			errs = append(errs, p.Kill())
		}
	}
	c.end(errStopped)
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("stop control plane %q: %w", c.name, err)
	}
	return nil
}

// StopAPIServer ends the API server, as in a fault; everything else goes on running.
func (c *ControlPlane) StopAPIServer(context.Context) error {
	return c.process(apiServer).Kill()
}

// StartAPIServer starts the API server again after StopAPIServer, on the same port and with
// the same data, and returns when it is ready. The control plane's other programs are started
// anew as well: left alone, they may take a minute to look for the API server again.
func (c *ControlPlane) StartAPIServer(ctx context.Context) error {
	select {
	case <-c.process(apiServer).Done():
	default:
		return fmt.Errorf("the API server of %q is running already", c.name)
	}
	if err := c.run(apiServer); err != nil {
		return err
	}
	ctx, cancel := c.whileAlive(ctx)
	defer cancel()
	if err := await(ctx, "the API server", c.apiServerReady); err != nil {
		return err
	}
	for _, program := range c.clients() {
		if err := c.process(program).Kill(); err != nil {
			return err
		}
		if err := c.run(program); err != nil {
			return err
		}
	}
	return nil
}

func (c *ControlPlane) process(name string) *process.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.processes[name]
}
