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
// process is ended and waited for. args make this same program run the fleet and report to file descriptor 3: see Report.
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
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reader.Close()
	command := exec.Command(self, args...)
	command.ExtraFiles = []*os.File{writer}
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // the terminal's Ctrl-C is for us alone
	err = command.Start()
	if err := errors.Join(err, writer.Close()); err != nil {
		return fmt.Errorf("starting the fleet's process: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = command.Process.Signal(syscall.SIGTERM) }) // it may have ended
	defer stop()
	if err := show(reader, steps); err != nil {
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

// Reporter is the other end of Background's pipe.
type Reporter struct{ out io.WriteCloser }

// Report takes over file descriptor 3, where Background put it.
func Report() (*Reporter, error) {
	pipe := os.NewFile(3, "reports")
	if _, err := pipe.Stat(); err != nil {
		return nil, errors.New("this command is for 'wheel up' to run: use that")
	}
	return &Reporter{pipe}, nil
}

// Progress reports steps. It fits fleet.Options.
func (r *Reporter) Progress(step string) (done func(error)) {
	r.say(message{Begin: step})
	return func(err error) { r.say(message{End: step, Failed: err != nil}) }
}

// Ready says that the fleet is up. Nothing more is reported after it.
func (r *Reporter) Ready() error {
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
