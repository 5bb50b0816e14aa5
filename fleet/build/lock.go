package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// lockPoll is how often a busy lock is tried again: the kernel has no way to wait for a file
// lock that a context could interrupt.
const lockPoll = 250 * time.Millisecond

// lock takes the file lock at path, waiting while another process of this machine holds it,
// and returns the function that gives it back. The kernel gives it back for a killed process.
func lock(ctx context.Context, path string, out io.Writer) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	told := false
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !told {
			fmt.Fprintln(out, "Waiting for another process that builds the same thing.")
			told = true
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the build that holds %s: %w", path, ctx.Err())
		case <-time.After(lockPoll):
		}
	}
}
