package background_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"wheelwright.dev/wheelwright/agent/background"
	"wheelwright.dev/wheelwright/agent/workflow"
)

// What other packages begin when they are loaded is none of the pool's.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// patience is how long a test waits for what it knows must come.
const patience = 30 * time.Second

func newPool(t *testing.T, size int) *background.Pool {
	t.Helper()
	pool := background.New(size)
	t.Cleanup(pool.Close)
	return pool
}

func work(event, step, subject string, do func(context.Context) (map[string]any, error)) background.Work {
	identity := workflow.Identity{Component: workflow.Component{UID: "uid"}, EventID: event, Step: step}
	return background.Work{Identity: identity, Name: step, Subject: subject, Limit: time.Minute, Do: do}
}

// until is work that ends when free is closed, or its context does.
func until(free <-chan struct{}) func(context.Context) (map[string]any, error) {
	return func(ctx context.Context) (map[string]any, error) {
		select {
		case <-free:
			return map[string]any{"result": 1}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// finish asks until the work is done or has failed.
func finish(t *testing.T, pool *background.Pool, asked background.Work) (workflow.Outcome, error) {
	t.Helper()
	deadline := time.After(patience)
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for {
		outcome, err := pool.Advance(asked)
		if outcome.Done || err != nil {
			return outcome, err
		}
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("waited %s for %s: %+v", patience, asked.Name, outcome)
		}
	}
}

// wantWaiting makes a pass, which must say what it waits for and when to come again.
func wantWaiting(t *testing.T, pool *background.Pool, asked background.Work, words string) {
	t.Helper()
	outcome, err := pool.Advance(asked)
	if err != nil || outcome.Done || outcome.RecheckAfter <= 0 || !strings.Contains(outcome.Message, words) {
		t.Errorf("a pass gives %+v, %v; want a message with %q", outcome, err, words)
	}
}

func TestAResultIsCollectedByALaterPass(t *testing.T) {
	pool, free := newPool(t, 1), make(chan struct{})
	asked := work("1", "step", "x", until(free))
	for range 3 {
		wantWaiting(t, pool, asked, "under way")
	}
	close(free)
	if outcome, err := finish(t, pool, asked); err != nil || outcome.Returns["result"] != 1 {
		t.Errorf("it gives %+v, %v", outcome, err)
	}
}

func TestAnErrorIsGivenOnceAndThenTheWorkBeginsAnew(t *testing.T) {
	pool, tries := newPool(t, 1), 0
	asked := work("1", "step", "x", func(context.Context) (map[string]any, error) {
		if tries++; tries == 1 {
			return nil, errors.New("not this time")
		}
		if tries == 2 {
			panic("out of order")
		}
		return nil, nil
	})
	for _, want := range []string{"not this time", "broke down: out of order"} {
		if _, err := finish(t, pool, asked); err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("the error is %v, want %q", err, want)
		}
	}
	if _, err := finish(t, pool, asked); err != nil {
		t.Error(err)
	}
}

func TestNoMoreThanTheSizeRunAtOnce(t *testing.T) {
	pool, free := newPool(t, 2), make(chan struct{})
	wantWaiting(t, pool, work("1", "first", "x", until(free)), "under way")
	wantWaiting(t, pool, work("1", "second", "y", until(free)), "under way")
	third := work("1", "third", "z", until(free))
	wantWaiting(t, pool, third, "fewer than 2 operations")
	close(free)
	if _, err := finish(t, pool, third); err != nil {
		t.Error(err)
	}
}

func TestOneSubjectHasOneOperationAtATime(t *testing.T) {
	pool, free := newPool(t, 4), make(chan struct{})
	first, sibling := work("1", "first", "x", until(free)), work("1", "sibling", "x", until(free))
	wantWaiting(t, pool, first, "under way")
	wantWaiting(t, pool, sibling, "waits for the end of first")
	close(free)
	for _, asked := range []background.Work{first, sibling} {
		if _, err := finish(t, pool, asked); err != nil {
			t.Errorf("%s: %v", asked.Name, err)
		}
	}
}

func TestALaterEventEndsWhatAnEarlierOneBegan(t *testing.T) {
	pool, free := newPool(t, 4), make(chan struct{})
	ended := make(chan error, 1)
	old := work("1", "step", "x", func(ctx context.Context) (map[string]any, error) {
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	wantWaiting(t, pool, old, "under way")
	next := work("2", "step", "x", until(free))
	close(free)
	if _, err := finish(t, pool, next); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the old operation ended with %v", err)
	}
}

func TestAnOperationEndsAtItsLimitAndWithItsComponentAndWithThePool(t *testing.T) {
	never := make(chan struct{})
	for name, end := range map[string]func(*background.Pool){
		"limit":     func(*background.Pool) {},
		"component": func(pool *background.Pool) { pool.Cancel("uid") },
	} {
		t.Run(name, func(t *testing.T) {
			pool := newPool(t, 1)
			asked := work("1", "step", "x", until(never))
			if name == "limit" {
				asked.Limit = time.Millisecond
			}
			if _, err := pool.Advance(asked); err != nil {
				t.Fatal(err)
			}
			end(pool)
			if _, err := finish(t, pool, asked); err == nil {
				t.Error("it ended well")
			}
		})
	}
	t.Run("pool", func(t *testing.T) {
		pool, ended := background.New(1), make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { defer close(ended); _ = pool.Start(ctx) }()
		wantWaiting(t, pool, work("1", "step", "x", until(never)), "under way")
		cancel()
		<-ended
		wantWaiting(t, pool, work("2", "other", "y", until(never)), "waits for the next agent")
	})
}
