package reconcile

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// inLoop runs the function over one key in a bubble where waiting takes no time, for as long as
// it is told, and returns when it was called, counted from the start.
func inLoop(t *testing.T, newLoop func() *Loop, duration time.Duration, reconcile Func) []time.Duration {
	t.Helper()
	var calls []time.Duration
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), duration)
		defer cancel()
		loop := newLoop()
		loop.Queue.Add("key")
		loop.Run(ctx, func(ctx context.Context, key string) (time.Duration, error) {
			calls = append(calls, time.Since(start))
			return reconcile(ctx, key)
		})
	})
	return calls
}

func TestAgain(t *testing.T) {
	got := inLoop(t, func() *Loop { return New("test") }, 150*time.Second,
		func(context.Context, string) (time.Duration, error) { return time.Minute, nil })
	if diff := cmp.Diff([]time.Duration{0, time.Minute, 2 * time.Minute}, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestOnceIsEnough(t *testing.T) {
	got := inLoop(t, func() *Loop { return New("test") }, time.Hour,
		func(context.Context, string) (time.Duration, error) { return 0, nil })
	if diff := cmp.Diff([]time.Duration{0}, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestPersistentBackoff(t *testing.T) {
	got := inLoop(t, func() *Loop { return NewPersistent("test", 20*time.Millisecond) }, 80*time.Millisecond,
		func(context.Context, string) (time.Duration, error) { return 0, errors.New("no luck") })
	want := []time.Duration{0, 5 * time.Millisecond, 15 * time.Millisecond, 35 * time.Millisecond, 55 * time.Millisecond, 75 * time.Millisecond}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
