package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const testKind = "test"

type asked struct {
	Kind   string
	Number int
}

type answered struct {
	Number int
	PID    int
	// Environment is the names of the worker's variables.
	Environment []string
}

func TestMain(m *testing.M) {
	Serve(testKind, answerTest)
	os.Exit(m.Run())
}

// sink keeps what is allocated in a worker.
var sink [][]byte

func answerTest(question asked) answered {
	switch question.Kind {
	case "spin":
		for i := 0; ; i++ {
			sink = [][]byte{make([]byte, i%64)}
		}
	case "eat":
		for {
			sink = append(sink, touched(1<<20))
		}
	case "gulp":
		sink = append(sink, touched(10<<30))
	case "recurse":
		return answered{Number: recurse(0)}
	case "exit":
		os.Exit(3)
	case "panic":
		panic("on purpose")
	}
	var names []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		names = append(names, name)
	}
	return answered{Number: question.Number, PID: os.Getpid(), Environment: names}
}

func touched(size int) []byte {
	memory := make([]byte, size)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	return memory
}

func recurse(n int) int {
	if n < 0 {
		return 0
	}
	return recurse(n+1) + 1
}

func newPool(t *testing.T, options Options) *Pool[asked, answered] {
	t.Helper()
	options.Kind = testKind
	pool := NewPool[asked, answered](options)
	t.Cleanup(pool.Close)
	return pool
}

func echo(t *testing.T, pool *Pool[asked, answered], key string, number int) answered {
	t.Helper()
	got, err := pool.Call(t.Context(), key, asked{Number: number})
	if err != nil || got.Number != number {
		t.Fatalf("got %+v, %v, want %d", got, err, number)
	}
	return got
}

// until waits for a condition that does not take long.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestEveryCallGetsItsOwnAnswer(t *testing.T) {
	pool := newPool(t, Options{Size: 2})
	var group sync.WaitGroup
	pids := sync.Map{}
	for i := range 200 {
		group.Go(func() {
			got, err := pool.Call(t.Context(), "key", asked{Number: i})
			if err != nil || got.Number != i {
				t.Errorf("got %+v, %v, want %d", got, err, i)
			}
			pids.Store(got.PID, nil)
		})
	}
	group.Wait()
	count := 0
	pids.Range(func(any, any) bool { count++; return true })
	if count > 2 {
		t.Errorf("%d worker processes answered, want at most 2", count)
	}
}

func TestAWorkerSeesNothingOfTheProgram(t *testing.T) {
	t.Setenv("WHEELWRIGHT_TEST_SECRET", "x")
	for _, name := range echo(t, newPool(t, Options{}), "key", 1).Environment {
		if !strings.HasPrefix(name, roleVariable) && name != "GOTRACEBACK" {
			t.Errorf("a worker sees the variable %s", name)
		}
	}
}

// Calls that never end must not be in the way of others, however many there are, nor keep whoever makes them.
func TestOthersGoOnBesideCallsThatNeverEnd(t *testing.T) {
	pool := newPool(t, Options{Size: 2, Slow: 2, SlowAfter: 300 * time.Millisecond, Deadline: time.Hour})
	const endless = 8
	busy, cancelled := atomic.Int32{}, atomic.Int32{}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	for i := range endless {
		group.Go(func() {
			switch _, err := pool.Call(ctx, fmt.Sprintf("endless-%d", i), asked{Kind: "spin"}); {
			case errors.Is(err, ErrBusy):
				busy.Add(1)
			case errors.Is(err, context.Canceled):
				cancelled.Add(1)
			default:
				t.Errorf("got %v, want %v for all but two", err, ErrBusy)
			}
		})
	}
	until(t, "the endless calls to be known", func() bool { return busy.Load() == endless-2 })
	until(t, "the places to be free", func() bool { return len(pool.places) == 0 })
	for i := range 100 {
		echo(t, pool, "quick", i)
	}
	cancel()
	group.Wait()
	if cancelled.Load() != 2 {
		t.Errorf("%d calls went on among the slow ones, want 2", cancelled.Load())
	}
}

func TestACallThatNeverEndsIsEnded(t *testing.T) {
	pool := newPool(t, Options{Size: 1, Deadline: 100 * time.Millisecond})
	_, err := pool.Call(t.Context(), "key", asked{Kind: "spin"})
	exceeded := (*Exceeded)(nil)
	if !errors.As(err, &exceeded) || exceeded.Limit != LimitTime || exceeded.Error() != "did not end within 100ms" {
		t.Errorf("got %v, want that the time was exceeded", err)
	}
}

func TestASuspectIsTrustedAgainOnceItIsQuick(t *testing.T) {
	pool := newPool(t, Options{Size: 1, Slow: 1, SlowAfter: 200 * time.Millisecond, Deadline: 400 * time.Millisecond})
	if _, err := pool.Call(t.Context(), "key", asked{Kind: "spin"}); err == nil {
		t.Fatal("an endless call ended")
	}
	if pool.suspects.Len() != 1 {
		t.Fatal("it is not remembered")
	}
	// On a busy machine a quick call may look slow, but not every one.
	until(t, "trust", func() bool { echo(t, pool, "key", 1); return pool.suspects.Len() == 0 })
}

func TestWhatAWorkerTakesIsBounded(t *testing.T) {
	for kind, want := range map[string]struct {
		limit Limit
		text  string
	}{
		"eat":     {LimitMemory, "needed more than 256Mi of memory"},
		"gulp":    {LimitMemory, "needed more than 256Mi of memory"},
		"recurse": {LimitStack, "nested too deep"},
		"exit":    {LimitNone, "broke its worker process down (exit status 3)"},
		"panic":   {LimitNone, "broke its worker process down (panic: on purpose)"},
	} {
		t.Run(kind, func(t *testing.T) {
			pool := newPool(t, Options{Size: 1, Memory: 256 << 20, Deadline: time.Minute})
			before := echo(t, pool, "key", 1)
			_, err := pool.Call(t.Context(), "key", asked{Kind: kind})
			exceeded := (*Exceeded)(nil)
			if !errors.As(err, &exceeded) || exceeded.Limit != want.limit || exceeded.Error() != want.text {
				t.Errorf("got %v, want %v: %s", err, want.limit, want.text)
			}
			if alive(before.PID) {
				t.Errorf("process %d is still there", before.PID)
			}
			echo(t, pool, "key", 2)
		})
	}
}

func TestAWorkerIsReplacedAfterItsShare(t *testing.T) {
	pool := newPool(t, Options{Size: 1, MaxCalls: 3})
	pids := map[int]int{}
	for i := range 9 {
		pids[echo(t, pool, "key", i).PID]++
	}
	for pid, calls := range pids {
		if calls != 3 {
			t.Errorf("process %d answered %d calls, want 3", pid, calls)
		}
		if alive(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
}

func TestAWorkerThatNobodyNeedsEnds(t *testing.T) {
	pool := newPool(t, Options{Size: 1, IdleAfter: time.Millisecond})
	pid := echo(t, pool, "key", 1).PID
	until(t, "the idle worker to end", func() bool { return !alive(pid) })
	echo(t, pool, "key", 2)
}

func TestACallerThatGivesUpLeavesNoWorkerBehind(t *testing.T) {
	pool := newPool(t, Options{Size: 1})
	pid := echo(t, pool, "key", 1).PID
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := pool.Call(ctx, "key", asked{Kind: "spin"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's error", err)
	}
	if alive(pid) {
		t.Errorf("process %d is still there", pid)
	}
}

func TestAClosedPoolHasNoWorkersAndTakesNoCalls(t *testing.T) {
	pool := newPool(t, Options{Size: 1})
	pid := echo(t, pool, "key", 1).PID
	pool.Close()
	pool.Close()
	if alive(pid) {
		t.Errorf("process %d is still there", pid)
	}
	if _, err := pool.Call(t.Context(), "key", asked{}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want %v", err, ErrClosed)
	}
}

// A program that is killed cannot end its workers. They notice, also in the middle of a call.
func TestAWorkerEndsWithTheProgram(t *testing.T) {
	worker, err := start[asked, answered](Options{Kind: testKind}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	defer worker.kill()
	if got := worker.exchange(asked{Number: 1}); got.err != nil {
		t.Fatal(got.err)
	}
	if err := worker.encoder.Encode(&asked{Kind: "spin"}); err != nil {
		t.Fatal(err)
	}
	if err := worker.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := worker.command.Wait(); err != nil {
		t.Errorf("the worker ended with %v", err)
	}
}
