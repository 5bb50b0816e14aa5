package pods

import (
	"context"
	"errors"
	"fmt"
)

// crashLoop is after how many runs on end that were never ready AwaitReady gives up on a pod.
const crashLoop = 5

// Pod is the state of one pod.
type Pod struct {
	Name string
	// Pid is the process id, 0 while no process runs.
	Pid int
	// Ready is whether the process answers its readiness probe.
	Ready bool
	// Restarts is how often a process of this pod has ended or could not be started.
	Restarts int
	// LastExit is why that was the last time.
	LastExit error
	// LogFile is where its output goes.
	LogFile string
}

// Pods returns the state of all pods.
func (d *Deployment) Pods() []Pod {
	d.mu.Lock()
	defer d.mu.Unlock()
	states := make([]Pod, 0, len(d.pods))
	for _, p := range d.pods {
		states = append(states, p.state())
	}
	return states
}

func (p *pod) state() Pod {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := Pod{Name: p.name, Restarts: p.restarts, LastExit: p.lastExit, LogFile: p.logFile()}
	if p.process == nil {
		return state
	}
	select {
	case <-p.process.Done(): // it has ended, though the pod has not come to note that yet
	default:
		state.Pid, state.Ready = p.process.Pid(), p.ready
	}
	return state
}

func (p *pod) failuresOnEnd() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failures
}

// AwaitReady returns when the Deployment is in the cluster and all of its pods are ready. It
// fails early when one of them cannot become ready, or has failed again and again.
func (d *Deployment) AwaitReady(ctx context.Context) error {
	for {
		changed := d.changes.next()
		reason, hopeless := d.unready()
		switch {
		case reason == nil:
			return nil
		case hopeless:
			return fmt.Errorf("Deployment %s/%s: %w", d.namespace, d.name, reason)
		}
		select {
		case <-changed:
		case <-d.life.Done():
		case <-ctx.Done():
			return fmt.Errorf("wait for Deployment %s/%s: %w: %w", d.namespace, d.name, context.Cause(ctx), reason)
		}
	}
}

// unready returns why not all pods are ready, or nil, and whether waiting is no use.
func (d *Deployment) unready() (reason error, hopeless bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.life.Err() != nil:
		return errors.New("its pods were stopped"), true
	case d.object == nil:
		return errors.New("it is not in the cluster"), false
	case d.paused:
		return errors.New("its pods are paused"), false
	case len(d.pods) != d.wantedReplicas():
		return fmt.Errorf("it has %d pods of %d", len(d.pods), d.wantedReplicas()), false
	}
	for _, p := range d.pods {
		if !p.plays(d.object) {
			reason = fmt.Errorf("pod %s is of an earlier template", p.name)
			continue
		}
		state, failures := p.state(), p.failuresOnEnd()
		switch {
		case state.Ready:
			continue
		case state.LastExit == nil:
			reason = fmt.Errorf("pod %s is not ready: see %s", p.name, state.LogFile)
		case errors.Is(state.LastExit, errUnplayable):
			return fmt.Errorf("pod %s: %w", p.name, state.LastExit), true
		case failures >= crashLoop:
			return fmt.Errorf("pod %s has failed %d times: %w", p.name, failures, state.LastExit), true
		default:
			reason = fmt.Errorf("pod %s failed: %w", p.name, state.LastExit)
		}
	}
	return reason, false
}

// Stop ends all pods as a kubelet does, with the grace that their template gives them, and
// stops following the Deployment. It returns when no process is left; ctx cuts the grace short.
func (d *Deployment) Stop(ctx context.Context) error {
	err := d.Pause(ctx)
	d.end()
	d.group.Wait()
	return err
}

// Pause ends all pods, as Stop does, until Resume starts them again.
func (d *Deployment) Pause(ctx context.Context) error { return d.setPaused(ctx, true) }

// Resume starts the pods after Pause, as the Deployment says by then.
func (d *Deployment) Resume() { _ = d.setPaused(d.life, false) }

// Restart ends all pods and starts them again, and returns when they are ready.
func (d *Deployment) Restart(ctx context.Context) error {
	if err := d.Pause(ctx); err != nil {
		return err
	}
	d.Resume()
	return d.AwaitReady(ctx)
}

func (d *Deployment) setPaused(ctx context.Context, paused bool) error {
	d.changing.Lock()
	defer d.changing.Unlock()
	d.mu.Lock()
	d.paused = paused
	d.mu.Unlock()
	return d.adjust(ctx)
}

// Kill ends the process of every pod at once, as a crash does. They are started again after
// their pauses; AwaitReady waits for that.
func (d *Deployment) Kill() error {
	d.mu.Lock()
	pods := d.pods
	d.mu.Unlock()
	var errs []error
	for _, p := range pods {
		errs = append(errs, p.kill())
	}
	return errors.Join(errs...)
}
