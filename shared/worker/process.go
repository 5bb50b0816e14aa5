package worker

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// Environment of a worker. It gets nothing else of the program's: what it evaluates is not trusted.
const (
	roleVariable   = "WHEELWRIGHT_WORKER"
	memoryVariable = "WHEELWRIGHT_WORKER_MEMORY"
	callsVariable  = "WHEELWRIGHT_WORKER_CALLS"
)

// envelope is an answer as it travels.
type envelope[Answer any] struct {
	Answer Answer
	// Retire is set when the worker has done its share and ends.
	Retire bool
}

// exchanged is how a call went.
type exchanged[Answer any] struct {
	answer Answer
	retire bool
	took   time.Duration
	err    error
}

// process is a worker. One call uses it at a time.
type process[Question, Answer any] struct {
	command *exec.Cmd
	encoder *gob.Encoder
	decoder *gob.Decoder
	stdin   io.Closer
	stderr  *head
	expiry  *time.Timer
	ended   sync.Once
	state   error
}

// startTimeout is when a worker that does not come up is given up.
const startTimeout = time.Minute

func start[Question, Answer any](options Options) (*process[Question, Answer], error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the program for worker processes: %w", err)
	}
	command := exec.Command(binary)
	command.Env = []string{
		roleVariable + "=" + options.Kind, memoryVariable + "=" + strconv.FormatUint(options.Memory, 10),
		callsVariable + "=" + strconv.Itoa(options.MaxCalls), "GOTRACEBACK=none",
	}
	worker := &process[Question, Answer]{command: command, stderr: &head{}}
	command.Stderr = worker.stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("preparing a worker process: %w", err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("preparing a worker process: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("starting a worker process: %w", err)
	}
	worker.encoder, worker.decoder, worker.stdin = gob.NewEncoder(in), gob.NewDecoder(out), in
	// That it takes a while to start is no fault of the first call.
	greeting := make(chan error, 1)
	go func() {
		var ready envelope[Answer]
		greeting <- worker.decoder.Decode(&ready)
	}()
	select {
	case err = <-greeting:
	case <-time.After(startTimeout):
		err = fmt.Errorf("it was not ready within %v", startTimeout)
	}
	if err != nil {
		worker.kill()
		return nil, fmt.Errorf("starting a worker process (%s): %w", worker.stderr, err)
	}
	return worker, nil
}

// exchange asks and waits for the answer.
func (p *process[Question, Answer]) exchange(question Question) exchanged[Answer] {
	began := time.Now()
	var got envelope[Answer]
	err := p.encoder.Encode(&question)
	if err == nil {
		err = p.decoder.Decode(&got)
	}
	return exchanged[Answer]{answer: got.Answer, retire: got.Retire, took: time.Since(began), err: err}
}

// kill ends the process, if it did not end by itself, and reaps it.
func (p *process[Question, Answer]) kill() {
	p.ended.Do(func() {
		_ = p.stdin.Close()          // it is gone, or will be in a moment
		_ = p.command.Process.Kill() // fails where it ended already
		p.state = p.command.Wait()
	})
}

// cause says why a worker that was killed gave no answer. Before it was killed it had ended, or stopped making sense.
func (p *process[Question, Answer]) cause(err error, options Options) error {
	exit := (*exec.ExitError)(nil)
	if !errors.As(p.state, &exit) {
		return fmt.Errorf("asking a worker process: %w", err)
	}
	return causeOf(exit, p.stderr.String(), options)
}

// head keeps the beginning of what is written to it.
type head struct {
	mutex sync.Mutex
	kept  []byte
}

// maxHead is enough for the first lines that Go's runtime ends with.
const maxHead = 1024

func (h *head) Write(data []byte) (int, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.kept = append(h.kept, data[:min(len(data), maxHead-len(h.kept))]...)
	return len(data), nil
}

func (h *head) String() string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return string(h.kept)
}
