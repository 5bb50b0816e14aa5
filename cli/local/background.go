package local

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"

	"wheelwright.dev/wheelwright/cli/terminal"
)

// message is what a fleet in the background tells the one who started it, a JSON line each.
type message struct {
	// Begin and End name a step.
	Begin string `json:"begin,omitempty"`
	End   string `json:"end,omitempty"`
	// Failed: the step that ended did so with an error.
	Failed bool `json:"failed,omitempty"`
	// Ready: the fleet is up.
	Ready bool `json:"ready,omitempty"`
	// Error is why it will not be.
	Error string `json:"error,omitempty"`
}

// Background starts a fleet in a process of its own, shows its steps, and returns when it is up. When ctx ends before, the
// process is ended and waited for. args make this same program run the fleet and report: see Report.
func Background(ctx context.Context, folder Folder, steps *terminal.Steps, args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if folder.Running() {
		state, _ := folder.State() // the fleet may not have written it yet
		return &RunningError{Folder: folder.Path(), State: state}
	}
	if err := os.MkdirAll(folder.Path(), 0o700); err != nil {
		return err
	}
	reports, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reports.Close()
	// Should this process be killed before the fleet is up, the kernel closes alive, and the fleet's process sees it.
	starter, alive, err := os.Pipe()
	if err != nil {
		return errors.Join(err, writer.Close())
	}
	defer alive.Close()
	command := exec.Command(self, args...)
	command.ExtraFiles = []*os.File{writer, starter}
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // the terminal's Ctrl-C is for us alone
	err = command.Start()
	if err := errors.Join(err, writer.Close(), starter.Close()); err != nil {
		return fmt.Errorf("starting the fleet's process: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = command.Process.Signal(syscall.SIGTERM) }) // it may have ended
	defer stop()
	if err := show(reports, steps); err != nil {
		return errors.Join(ctx.Err(), err, ended(command.Wait()))
	}
	return command.Process.Release()
}

// show relays the fleet's steps until it is ready, or has ended.
func show(reports io.Reader, steps *terminal.Steps) error {
	running := map[string]func(error){}
	lines := bufio.NewScanner(reports)
	for lines.Scan() {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return fmt.Errorf("reading the fleet's report: %w", err)
		}
		switch {
		case m.Begin != "":
			running[m.Begin] = steps.Begin(m.Begin)
		case m.End != "":
			var err error
			if m.Failed {
				err = errors.New("failed")
			}
			running[m.End](err)
		case m.Ready:
			return nil
		case m.Error != "":
			return errors.New(m.Error)
		}
	}
	return errors.Join(errors.New("the fleet's process ended before the fleet was up"), lines.Err())
}

// ended drops the mere fact that the process failed: it has said why.
func ended(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// Reporter is the other end of Background's pipes.
type Reporter struct {
	out   io.WriteCloser
	ready atomic.Bool
}

// Report takes over file descriptors 3 and 4, where Background put the pipes. The context that it returns ends with ctx, and
// when the one who started this process is gone before Ready.
func Report(ctx context.Context) (*Reporter, context.Context, error) {
	out, starter := os.NewFile(3, "reports"), os.NewFile(4, "starter")
	for _, pipe := range []*os.File{out, starter} {
		if _, err := pipe.Stat(); err != nil {
			return nil, nil, errors.New("this command is for 'wheel up' to run: use that")
		}
	}
	r := &Reporter{out: out}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() { // ends with the starter, which ends soon after Ready
		_, _ = starter.Read(make([]byte, 1)) // nothing is ever written: it returns when the other end closes
		if !r.ready.Load() {
			cancel(errors.New("whoever started this fleet is gone"))
		}
	}()
	return r, ctx, nil
}

// Progress reports steps. It fits fleet.Options.
func (r *Reporter) Progress(step string) (done func(error)) {
	r.say(message{Begin: step})
	return func(err error) { r.say(message{End: step, Failed: err != nil}) }
}

// Ready says that the fleet is up. Nothing more is reported after it.
func (r *Reporter) Ready() error {
	r.ready.Store(true)
	r.say(message{Ready: true})
	return r.out.Close()
}

// Failed says why the fleet is not coming up.
func (r *Reporter) Failed(err error) { r.say(message{Error: err.Error()}) }

// say writes one line. Nobody listens any more when it fails, and the signal that ends this process is on its way.
func (r *Reporter) say(m message) {
	line, err := json.Marshal(m)
	if err != nil {
		return
	}
	_, _ = r.out.Write(append(line, '\n'))
}
