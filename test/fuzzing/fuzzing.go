// Package fuzzing is what every fuzz target holds the code against: whatever comes in, it ends in time and within memory,
// and what is refused is refused in words that its author can use.
package fuzzing

import (
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"wheelwright.dev/wheelwright/shared/cue"
)

const (
	// maxTime is generous: what takes longer than this is a hang to whoever waits for it.
	maxTime = 20 * time.Second
	// maxHeap is what one execution may add to the heap before it is taken for a bomb.
	maxHeap = 2 << 30
)

// Within runs one execution. A panic in it fails the test. One that does not end, or that eats all memory, cannot be
// stopped: it ends the process, with the places where it was, and the fuzzer then keeps the input.
func Within(t *testing.T, run func()) {
	t.Helper()
	done := make(chan struct{})
	before := heap()
	go func() {
		defer close(done)
		defer func() {
			if failure := recover(); failure != nil {
				t.Errorf("it panicked: %v\n%s", failure, debug.Stack())
			}
		}()
		run()
	}()
	late := time.NewTimer(maxTime)
	defer late.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-done:
			return
		case <-late.C:
			end(fmt.Sprintf("it still runs after %s", maxTime))
		case <-look.C:
			if heap() > before+maxHeap {
				end(fmt.Sprintf("it uses more than %d MiB", maxHeap>>20))
			}
		}
	}
}

func end(why string) {
	debug.SetTraceback("all")
	panic(why)
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// internals are what no message shows, since it tells its reader nothing: traces of Go, and names of Wheelwright's own that
// nobody wrote.
var internals = map[string]*regexp.Regexp{
	"panic":       regexp.MustCompile(`\bpanic`),
	"goroutine":   regexp.MustCompile(`goroutine \d`),
	"0x":          regexp.MustCompile(`0x[0-9a-f]{6,}`),
	"%!":          regexp.MustCompile(`%![A-Za-z]?\(`),
	"wheelwright": regexp.MustCompile(`(?i)wheelwright-prelude|wheelwright-input|wheelwrightParameters`),
	"cuelang.org": regexp.MustCompile(`cuelang\.org/go`),
}

// Refused checks that err, which input brought about, is a *cue.Error with words that its author can use.
func Refused(t *testing.T, err error, input ...string) {
	t.Helper()
	fault := (*cue.Error)(nil)
	if !errors.As(err, &fault) {
		t.Errorf("the error is no *cue.Error but a %T: %v", err, err)
		return
	}
	if len(fault.Problems) == 0 {
		t.Errorf("the error names no problem: %q", err)
	}
	for _, problem := range fault.Problems {
		if strings.TrimSpace(problem.Message) == "" {
			t.Errorf("a problem has no message: %#v", problem)
		}
	}
	Readable(t, err.Error(), input...)
}

// Readable checks that a text shows nothing internal that is not in the input.
func Readable(t *testing.T, text string, input ...string) {
	t.Helper()
	given := strings.Join(input, "\n")
	for hint, internal := range internals {
		if internal.MatchString(text) && !strings.Contains(given, hint) {
			t.Errorf("the message shows what is internal, %s: %q", internal.FindString(text), text)
		}
	}
	if strings.TrimSpace(text) == "" {
		t.Error("the message is empty")
	}
	if utf8.ValidString(given) && !utf8.ValidString(text) {
		t.Errorf("the message is no text: %q", text)
	}
}
