// Package embedded runs whole Kubernetes control planes as processes on loopback: etcd,
// kube-apiserver, kube-controller-manager and kube-scheduler as Kubernetes ships them, with
// TLS, RBAC and ServiceAccount tokens, and kwok in the place of the nodes. Deployments become
// available and Jobs complete there, though no container is ever run.
//
// The data of a control plane is thrown away with it.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"

	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/process"
)

// adminUser is what the administrator's kubeconfig file is called.
const adminUser = "admin"

// startLimit is how long a start may take: many times what it needs on a slow machine.
const startLimit = 3 * time.Minute

// startTries is how often a start is tried when somebody else takes a port that was picked.
const startTries = 5

// errEnded marks the end of a control plane that was not asked for.
var errEnded = errors.New("control plane has ended")

// Options describe a control plane.
type Options struct {
	// Name is what the control plane is called in its kubeconfigs and in errors; a DNS label.
	Name string
	// Dir is where its files are: certificates, kubeconfigs, logs and data. It is made when
	// missing, must not hold another control plane, and stays after Stop for the logs.
	Dir string
	// Assets are the programs to run, from build.ControlPlane.
	Assets build.Assets
	// APIServerPort is the port of the API server; 0 picks a free one.
	APIServerPort int
	// NoScheduler leaves out the scheduler: pods stay Pending.
	NoScheduler bool
	// NoNodes leaves out kwok and the node: pods stay Pending.
	NoNodes bool
}

// ControlPlane is a running control plane. Its methods may be called from several goroutines.
type ControlPlane struct {
	name    string
	options Options
	ports   ports
	pki     *pki
	admin   keyPair
	client  kubernetes.Interface

	// life ends with the control plane; its cause is what ended it. All processes are tied to
	// it.
	life context.Context
	end  context.CancelCauseFunc

	mu        sync.Mutex
	processes map[string]*process.Process
}

// Start starts a control plane and returns when it is ready for use: the API server serves, the
// controllers have made what clients rely on, and the node takes pods. ctx bounds the start
// only. A failed or cancelled start leaves no process behind.
func Start(ctx context.Context, options Options) (*ControlPlane, error) {
	var err error
	for range startTries {
		var c *ControlPlane
		if c, err = startOnce(ctx, options); err == nil {
			return c, nil
		}
		if !lostPort(err) {
			break
		}
	}
	return nil, fmt.Errorf("start control plane %q: %w", options.Name, err)
}

func startOnce(ctx context.Context, options Options) (*ControlPlane, error) {
	c, err := prepare(options)
	if err != nil {
		return nil, err
	}
	return c.start(ctx)
}

// start launches a prepared control plane, and takes everything back when that fails.
func (c *ControlPlane) start(ctx context.Context) (_ *ControlPlane, err error) {
	defer func() {
		if err != nil {
			if ended := c.Err(); ended != nil {
				err = ended // what it has led to is of no interest
			}
			err = errors.Join(err, c.Stop(context.WithoutCancel(ctx)), os.RemoveAll(c.dataDir()))
		}
	}()
	ctx, cancel := c.whileAlive(ctx)
	defer cancel()
	ctx, cancelLimit := context.WithTimeoutCause(ctx, startLimit, fmt.Errorf("it took longer than %s", startLimit))
	defer cancelLimit()
	return c, c.launch(ctx)
}

// whileAlive returns a context that also ends with the control plane, and has the same cause.
func (c *ControlPlane) whileAlive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	forget := context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })
	return ctx, func() {
		forget()
		cancel(nil)
	}
}

// prepare makes everything that is needed before the first process can run.
func prepare(options Options) (*ControlPlane, error) {
	if options.Assets.Binary == "" {
		return nil, errors.New("no programs to run: fill Options.Assets from build.ControlPlane")
	}
	dir, err := filepath.Abs(options.Dir)
	if err != nil {
		return nil, err
	}
	options.Dir = dir
	if err := os.MkdirAll(filepath.Join(dir, "logs"), 0o700); err != nil {
		return nil, err
	}
	c := &ControlPlane{name: options.Name, options: options, processes: map[string]*process.Process{}}
	// A start that is tried again finds its own certificates and logs here, but never data.
	if _, err := os.Stat(c.dataDir()); !os.IsNotExist(err) {
		return nil, fmt.Errorf("%s holds the data of another control plane: remove it or choose another folder", dir)
	}
	c.life, c.end = context.WithCancelCause(context.Background())
	if c.ports, err = pickPorts(options.APIServerPort); err != nil {
		return nil, err
	}
	if c.pki, err = newPKI(); err != nil {
		return nil, err
	}
	if err := c.pki.write(c.pkiFile("")); err != nil {
		return nil, err
	}
	if err := c.writeUsers(); err != nil {
		return nil, err
	}
	if c.client, err = kubernetes.NewForConfig(c.RESTConfig()); err != nil {
		return nil, err
	}
	return c, nil
}

// launch starts the processes in the order in which they need each other and waits until the
// control plane is ready.
func (c *ControlPlane) launch(ctx context.Context) error {
	// An API server that finds no etcd goes to sleep for a second before it tries again.
	if err := c.run(etcd); err != nil {
		return err
	}
	if err := await(ctx, "etcd", c.etcdReady); err != nil {
		return err
	}
	if err := c.run(apiServer); err != nil {
		return err
	}
	if err := await(ctx, "the API server", c.apiServerReady); err != nil {
		return err
	}
	for _, program := range c.clients() {
		if err := c.run(program); err != nil {
			return err
		}
	}
	if !c.options.NoNodes {
		if err := c.createNode(ctx); err != nil {
			return err
		}
	}
	if err := await(ctx, "the controllers", c.controllersReady); err != nil {
		return err
	}
	if c.options.NoNodes {
		return nil
	}
	return await(ctx, "the node", c.nodeReady)
}

// clients are the programs that use the API server.
func (c *ControlPlane) clients() []string {
	programs := []string{controllerManager}
	if !c.options.NoScheduler {
		programs = append(programs, scheduler)
	}
	if !c.options.NoNodes {
		programs = append(programs, kwok)
	}
	return programs
}

// run starts a program, whose end ends the control plane unless it was asked for.
func (c *ControlPlane) run(program string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, err := process.Start(c.life, c.spec(program))
	if err != nil {
		return err
	}
	c.processes[program] = p
	go func() {
		<-p.Done()
		if err := p.Err(); err != nil {
			c.end(fmt.Errorf("%w: %w", errEnded, err))
		}
	}()
	return nil
}
