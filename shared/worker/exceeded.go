package worker

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Limit is what a call can run into.
type Limit string

// The limits.
const (
	LimitTime   Limit = "time"
	LimitMemory Limit = "memory"
	LimitStack  Limit = "stack"
	// LimitNone is for a worker that broke down by itself.
	LimitNone Limit = "none"
)

// Exceeded is the error of a call that was ended for what it took.
type Exceeded struct {
	Limit Limit
	text  string
}

// Error goes on after a subject, as in "the evaluation did not end within 10s".
func (e *Exceeded) Error() string { return e.text }

// ErrBusy is the error of a call by one whose calls take long, while others of that kind run. It may be made again later.
var ErrBusy = errors.New("waits for other evaluations that take long")

// exitMemory is the exit code of a worker that used more memory than it may.
const exitMemory = 77

// maxStack bounds the stack of one goroutine in a worker, in bytes.
const maxStack = 64 << 20

// causeOf reads what a worker left behind.
func causeOf(exit *exec.ExitError, stderr string, options Options) error {
	memory := resource.NewQuantity(int64(options.Memory), resource.BinarySI).String()
	switch {
	case exit.ExitCode() == exitMemory, strings.Contains(stderr, "out of memory"), strings.Contains(stderr, "cannot allocate memory"):
		return &Exceeded{Limit: LimitMemory, text: fmt.Sprintf("needed more than %s of memory", memory)}
	case strings.Contains(stderr, "stack overflow"):
		return &Exceeded{Limit: LimitStack, text: "nested too deep"}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
	if first == "" {
		first = exit.Error()
	}
	return &Exceeded{Limit: LimitNone, text: "broke its worker process down (" + first + ")"}
}
