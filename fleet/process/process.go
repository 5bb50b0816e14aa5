// Package process runs child processes that never outlive this program: not when it forgets
// them, not when it crashes, and not when it is killed.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const (
	// defaultGrace is how long Stop waits after SIGTERM where the Spec says nothing.
	defaultGrace = 10 * time.Second
	// killWait is how long a process may take to be gone after SIGKILL. Only one that is stuck
	// inside the kernel takes longer.
	killWait = 10 * time.Second
)

// Spec describes a process to start.
type Spec struct {
	// Name is what errors call the process.
	Name string
	// Path is the program's file.
	Path string
	// Args are the program's arguments, without its own name.
	Args []string
	// Env is the whole environment, as KEY=value; nil inherits that of this program.
	Env []string
	// Dir is the working directory; empty is that of this program.
	Dir string
	// LogFile is the file that standard output and error are appended to; empty drops them.
	LogFile string
	// Grace is how long Stop lets the process take after SIGTERM; 0 is 10 seconds.
	Grace time.Duration
}

// Process is a running or ended child process. Its methods may be called at any time, in any
// order and from several goroutines.
type Process struct {
	spec      Spec
	pid       int
	logOffset int64 // where this run's output starts in the log file
	done      chan struct{}

	mu      sync.Mutex
	stopped bool // the end was asked for
	ended   bool // the pid is not ours any more
	err     error
}

// Start starts the process in a process group of its own. The process is killed when ctx ends,
// and by the kernel when this program does.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	if spec.Grace == 0 {
		spec.Grace = defaultGrace
	}
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Env = spec.Env
	cmd.Dir = spec.Dir
	cmd.SysProcAttr = ownedByParent()
	p := &Process{spec: spec, done: make(chan struct{})}
	if spec.LogFile != "" {
		log, err := os.OpenFile(spec.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, fmt.Errorf("start %s: open its log: %w", spec.Name, err)
		}
		defer log.Close() // the child has a descriptor of its own
		if p.logOffset, err = log.Seek(0, 2); err != nil {
			return nil, fmt.Errorf("start %s: open its log: %w", spec.Name, err)
		}
		cmd.Stdout, cmd.Stderr = log, log
	}
	if err := fork(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	p.pid = cmd.Process.Pid
	forget := context.AfterFunc(ctx, func() { p.signalGroup(syscall.SIGKILL) })
	go func() {
		defer close(p.done)
		defer forget()
		p.wait(cmd)
	}()
	return p, nil
}

// Name is the name from the Spec.
func (p *Process) Name() string { return p.spec.Name }

// Pid is the process id, which is that of its process group too. It means nothing any more
// once Done is closed.
func (p *Process) Pid() int { return p.pid }

// Done is closed when the process has ended and nothing of its process group is left.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns nil while the process runs and after an end that was asked for, by Stop, Kill or
// the context, and an *ExitError after any other end, also one with exit code 0.
func (p *Process) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Stop asks the process to end (SIGTERM) and waits for it. When its grace or ctx is over it is
// killed, as by Kill.
func (p *Process) Stop(ctx context.Context) error {
	p.signalLeader(syscall.SIGTERM)
	grace := time.NewTimer(p.spec.Grace)
	defer grace.Stop()
	select {
	case <-p.done:
		return nil
	case <-grace.C:
	case <-ctx.Done():
	}
	return p.Kill()
}

// Kill ends the process and its whole process group at once (SIGKILL) and waits for it. It
// fails only when the process is stuck inside the kernel.
func (p *Process) Kill() error {
	p.signalGroup(syscall.SIGKILL)
	limit := time.NewTimer(killWait)
	defer limit.Stop()
	select {
	case <-p.done:
		return nil
	case <-limit.C:
		return fmt.Errorf("%s (pid %d) is still there %s after SIGKILL: look at its state with `ps -o stat,wchan -p %d`",
			p.spec.Name, p.pid, killWait, p.pid)
	}
}

func (p *Process) signalLeader(signal syscall.Signal) { p.signal(p.pid, signal) }

func (p *Process) signalGroup(signal syscall.Signal) { p.signal(-p.pid, signal) }

// signal notes that the end is wanted and sends the signal, unless the process has been reaped:
// its id may be another's by then.
func (p *Process) signal(target int, signal syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.stopped = true
	_ = syscall.Kill(target, signal) // it can only be gone already
}

// wait reaps the process when it ends, and notes how that came.
func (p *Process) wait(cmd *exec.Cmd) {
	err := reap(cmd, &p.mu)
	defer p.mu.Unlock()
	p.ended = true
	if p.stopped {
		return
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		p.err = fmt.Errorf("wait for %s: %w", p.spec.Name, err)
		return
	}
	p.err = p.exitError(cmd.ProcessState)
}
