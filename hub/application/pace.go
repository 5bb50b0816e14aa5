package application

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// statusInterval is the least time between two status writes of one Application that change nothing but counts. A thousand
// clusters that report within a second cause one write.
const statusInterval = time.Second

// pace remembers when each Application's status was last written.
type pace struct {
	mu   sync.Mutex
	last map[types.UID]time.Time
}

func newPace() *pace { return &pace{last: map[types.UID]time.Time{}} }

// wait is how long until the next write of counts; zero when it may be now.
func (p *pace) wait(uid types.UID, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	last, found := p.last[uid]
	if !found {
		return 0
	}
	return max(0, statusInterval-now.Sub(last))
}

func (p *pace) wrote(uid types.UID, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last[uid] = now
}

func (p *pace) forget(uid types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.last, uid)
}
