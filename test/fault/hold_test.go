package fault

import (
	"sync"
	"time"
)

// holding keeps an event in the middle: its notification has arrived, and is not answered.
type holding struct {
	lane    *lane
	arrived chan struct{}
	release chan struct{}
	once    sync.Once
}

// hold holds the next event. Whatever is sent while it is held is answered with it.
func (l *lane) hold() *holding {
	h := &holding{lane: l, arrived: make(chan struct{}), release: make(chan struct{})}
	l.receiver.set(func(answer func()) {
		h.once.Do(func() { close(h.arrived) })
		<-h.release
		answer()
	})
	l.t.Cleanup(h.letGo)
	return h
}

func (h *holding) await() {
	h.lane.t.Helper()
	select {
	case <-h.arrived:
	case <-time.After(patience):
		h.lane.t.Fatal("no notification arrives")
	}
}

func (h *holding) letGo() {
	select {
	case <-h.release:
	default:
		close(h.release)
	}
	h.lane.receiver.set(nil)
}
