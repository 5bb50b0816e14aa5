package pods

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"wheelwright.dev/wheelwright/fleet/loopback"
)

// errUnplayable marks what cannot get better by trying again: a pod template that asks for
// something that a host process cannot have.
var errUnplayable = errors.New("cannot be run as a host process")

const (
	healthFlag  = "--health-probe-bind-address"
	metricsFlag = "--metrics-bind-address"
	// disabledAddress is the value by which controller-runtime serves nothing.
	disabledAddress = "0"
	defaultReadyz   = "/readyz"
	defaultGrace    = 30 * time.Second
)

// plan is what it takes to run one container as a host process.
type plan struct {
	path   string
	args   []string
	env    []string // without what the host adds
	mounts []mount
	grace  time.Duration

	// readyURL answers 200 once the process is ready; empty when it serves no health.
	readyURL string
}

// newPlan translates the pod template of a Deployment. volumes is the folder that its volumes
// are made in; objects are looked up for environment variables.
func newPlan(ctx context.Context, pod podIdentity, spec corev1.PodSpec, volumes string, options Options) (*plan, error) {
	if len(spec.Containers) != 1 || len(spec.InitContainers) != 0 {
		return nil, fmt.Errorf("%w: it has %d containers and %d init containers, and only one container can be played",
			errUnplayable, len(spec.Containers), len(spec.InitContainers))
	}
	container := spec.Containers[0]
	mounts, err := newMounts(spec.Volumes, container.VolumeMounts, volumes)
	if err != nil {
		return nil, err
	}
	env, err := pod.environment(ctx, container)
	if err != nil {
		return nil, err
	}
	command, err := hostCommand(container, options.Binaries)
	if err != nil {
		return nil, err
	}
	p := &plan{mounts: mounts, grace: defaultGrace, path: command[0]}
	if spec.TerminationGracePeriodSeconds != nil {
		p.grace = max(time.Second, time.Duration(*spec.TerminationGracePeriodSeconds)*time.Second)
	}
	for _, arg := range append(command[1:], container.Args...) {
		p.args = append(p.args, relocate(env.expand(arg), mounts))
	}
	for _, variable := range env {
		p.env = append(p.env, variable.name+"="+relocate(variable.value, mounts))
	}
	if err := p.moveToLoopback(container.ReadinessProbe); err != nil {
		return nil, err
	}
	p.args = append(p.args, options.ExtraArgs...)
	return p, nil
}

// hostCommand returns the container's command with its program replaced by the host's.
func hostCommand(container corev1.Container, binaries map[string]string) ([]string, error) {
	if len(container.Command) == 0 {
		return nil, fmt.Errorf("%w: container %s leaves its command to its image: name it in the Deployment", errUnplayable, container.Name)
	}
	program := container.Command[0]
	for _, name := range []string{program, path.Base(program)} {
		if host, ok := binaries[name]; ok {
			absolute, err := filepath.Abs(host)
			if err != nil {
				return nil, err
			}
			return append([]string{absolute}, container.Command[1:]...), nil
		}
	}
	return nil, fmt.Errorf("%w: no host program is given for the command %s of container %s: add it to Options.Binaries", errUnplayable, program, container.Name)
}

// moveToLoopback gives the process ports of its own: pods share those of the host. The flags
// are appended, where they override the Deployment's.
func (p *plan) moveToLoopback(probe *corev1.Probe) error {
	ports, err := loopback.FreePorts(2)
	if err != nil {
		return err
	}
	for i, flag := range []string{healthFlag, metricsFlag} {
		value, given := flagValue(p.args, flag)
		if !given || value == disabledAddress {
			continue
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[i]))
		p.args = append(p.args, flag+"="+address)
		if flag != healthFlag {
			continue
		}
		readyz := defaultReadyz
		if probe != nil && probe.HTTPGet != nil && probe.HTTPGet.Path != "" {
			readyz = probe.HTTPGet.Path
		}
		p.readyURL = "http://" + address + readyz
	}
	return nil
}

// flagValue finds a flag given as --flag=value or as two arguments.
func flagValue(args []string, flag string) (value string, given bool) {
	for i, arg := range args {
		if name, value, ok := strings.Cut(arg, "="); ok && name == flag {
			return value, true
		}
		if arg == flag && i+1 < len(args) {
			return args[i+1], true
		}
	}
	return "", false
}
