package build

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func entriesOf(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestFailedBuildLeavesNothingInTheCache(t *testing.T) {
	cache := t.TempDir()
	broken := errors.New("interrupted")
	err := publish(filepath.Join(cache, "entry"), func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "half"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if left := entriesOf(t, cache); len(left) > 0 {
		t.Errorf("the cache holds %v", left)
	}
}

func TestPublishRemovesWhatKilledBuildsLeftAndWhatNobodyUses(t *testing.T) {
	cache := t.TempDir()
	long := time.Now().Add(-2 * keepUnused)
	for _, name := range []string{"entry" + unfinished + "1", "other" + unfinished + "2", "unused", "used"} {
		if err := os.Mkdir(filepath.Join(cache, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(cache, "unused"), long, long); err != nil {
		t.Fatal(err)
	}
	entry := filepath.Join(cache, "entry")
	if err := publish(entry, func(dir string) error { return os.WriteFile(filepath.Join(dir, "file"), nil, 0o600) }); err != nil {
		t.Fatal(err)
	}
	want := "entry other" + unfinished + "2 used"
	if got := strings.Join(entriesOf(t, cache), " "); got != want {
		t.Errorf("the cache holds %q, want %q", got, want)
	}
	if !inCache(entry) || inCache(filepath.Join(cache, "unused")) {
		t.Error("inCache does not say what is there")
	}
}

func TestLockLetsOneBuilderInAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside, entered atomic.Int32
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			unlock, err := lock(t.Context(), path, &strings.Builder{})
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			if inside.Add(1) != 1 {
				t.Error("two builders are inside")
			}
			entered.Add(1)
			inside.Add(-1)
		})
	}
	group.Wait()
	if entered.Load() != 4 {
		t.Errorf("%d builders were let in, want 4", entered.Load())
	}
}

func TestWaitForLockIsToldAndCanBeCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(t.Context(), path, &strings.Builder{})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var out strings.Builder
	if _, err := lock(ctx, path, &out); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}
	if !strings.Contains(out.String(), "Waiting for another process") {
		t.Errorf("the wait was told as %q", out.String())
	}
}
