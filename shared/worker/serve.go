package worker

import (
	"encoding/gob"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
)

// gcPercent trades memory, which is bounded, for less collecting.
const gcPercent = 300

// Serve answers questions from standard input until it is closed and ends the process, where the process was started as a
// worker of that kind. Otherwise it returns at once.
func Serve[Question, Answer any](kind string, answer func(Question) Answer) {
	if os.Getenv(roleVariable) != kind {
		return
	}
	memory, err := strconv.ParseUint(os.Getenv(memoryVariable), 10, 64)
	if err != nil {
		memory = defaultMemory
	}
	calls, err := strconv.Atoi(os.Getenv(callsVariable))
	if err != nil {
		calls = defaultMaxCalls
	}
	limit(memory)
	if err := serve(questions(), os.Stdout, answer, share{calls: calls, memory: memory / 4}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// questions is standard input, read in a way that lets an answer be worked on while the next question is awaited: a read that
// blocks its thread would keep the one CPU until the runtime notices.
func questions() io.Reader {
	if err := syscall.SetNonblock(int(os.Stdin.Fd()), true); err != nil {
		return os.Stdin
	}
	return os.NewFile(os.Stdin.Fd(), "questions")
}

// limit bounds what this process takes. One evaluation keeps one CPU busy and not more.
func limit(memory uint64) {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(int64(min(memory/4*3, math.MaxInt64)))
	debug.SetMaxStack(maxStack)
	limitData(memory)
	go Watch(memory, nil, func() { os.Exit(exitMemory) })
}

// share is what a worker does before it makes room for a new one: CUE never lets go of the field names that it saw. Memory
// is what it may still hold when a call is over, in bytes.
type share struct {
	calls  int
	memory uint64
}

func (s share) done(calls int) bool { return calls >= s.calls || live() > s.memory }

func serve[Question, Answer any](in io.Reader, out io.Writer, answer func(Question) Answer, share share) error {
	questions := make(chan Question)
	failed := make(chan error, 1)
	go func() {
		decoder := gob.NewDecoder(in)
		for {
			var question Question
			err := decoder.Decode(&question)
			if err == io.EOF {
				os.Exit(0) // whoever asked is gone, and nobody waits for what is being evaluated
			}
			if err != nil {
				failed <- fmt.Errorf("reading a question: %w", err)
				return
			}
			questions <- question
		}
	}()
	encoder := gob.NewEncoder(out)
	if err := encoder.Encode(&envelope[Answer]{}); err != nil {
		return fmt.Errorf("saying that it is ready: %w", err)
	}
	for calls := 1; ; calls++ {
		select {
		case err := <-failed:
			return err
		case question := <-questions:
			answered := envelope[Answer]{Answer: answer(question), Retire: share.done(calls)}
			if err := encoder.Encode(&answered); err != nil {
				return fmt.Errorf("writing an answer: %w", err)
			}
		}
	}
}
