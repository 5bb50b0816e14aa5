package terminal

import (
	"io"
	"time"
)

// slowAfter is how long people wait without wondering.
const slowAfter = 2 * time.Second

// WhileSlow runs a function, and tells on out what is going on where that takes more than two seconds.
func WhileSlow(out io.Writer, name string, run func() error) error {
	return whileSlow(out, slowAfter, name, run)
}

func whileSlow(out io.Writer, after time.Duration, name string, run func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- run() }()
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
	}
	steps := NewSteps(out)
	defer steps.Close()
	done := steps.Begin(name)
	err := <-ended
	done(err)
	return err
}
