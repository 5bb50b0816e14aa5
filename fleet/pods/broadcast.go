package pods

import "sync"

// broadcast wakes everybody who waits for a change.
type broadcast struct {
	mu      sync.Mutex
	changed chan struct{}
}

// next is closed at the next change. Who takes it before looking at the state misses nothing.
func (b *broadcast) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.changed
}

func (b *broadcast) announce() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}
