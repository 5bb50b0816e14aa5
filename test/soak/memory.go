package main

import (
	"os"
	"time"

	"wheelwright.dev/wheelwright/test/resident"
)

// memory is the most that was resident at once, in bytes, in each half.
type memory struct{ first, second uint64 }

// during runs work and notes in most, if that is not nil, what is resident meanwhile.
func (*memory) during(most *uint64, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ticker.C:
			now, err := resident.WithChildren(os.Getpid())
			if err != nil {
				return err
			}
			if most != nil {
				*most = max(*most, now)
			}
		}
	}
}
