// Package leader keeps an agent from writing when it may not be the one that works any more.
package leader

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// ErrNotLeading is why a write is refused: another agent may have taken over.
var ErrNotLeading = errors.New("the lease was not renewed in time, so that another agent may work in this one's place: nothing is written any more")

// Guard refuses the writes of an agent whose lease is old. The election ends such an agent, but only once it comes to look: one
// that was stopped, or starved of processor time, goes on first with what it was about to do. What it wrote then would undo
// the work of its successor.
type Guard struct {
	// lease ends the path of the lease.
	lease string
	// valid is how long after a renewal began the lease is counted on. It must be shorter than the time after which others take over.
	valid time.Duration
	now   func() time.Time

	mutex   sync.Mutex
	renewed time.Time
}

// NewGuard makes a Guard for the lease of that name. Until the lease was first held, everything may be written.
func NewGuard(lease string, valid time.Duration) *Guard {
	return &Guard{lease: "/leases/" + lease, valid: valid, now: time.Now}
}

// Wrap puts the guard before a transport. Clients that bypass it are not guarded.
func (g *Guard) Wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		if request.Method == http.MethodGet {
			return next.RoundTrip(request)
		}
		if !g.isOfLease(request) {
			if g.isOld() {
				return nil, ErrNotLeading
			}
			return next.RoundTrip(request)
		}
		began := g.now() // others count from when the API server has it, which is later
		response, err := next.RoundTrip(request)
		if err == nil && response.StatusCode < http.StatusMultipleChoices {
			g.renew(began)
		}
		return response, err
	})
}

// isOfLease tells whether a request writes the lease: by its name, or by making it.
func (g *Guard) isOfLease(request *http.Request) bool {
	path := request.URL.Path
	return strings.HasSuffix(path, g.lease) || request.Method == http.MethodPost && strings.HasSuffix(path, "/leases")
}

func (g *Guard) isOld() bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	now := g.now()
	// The clock of processes stands still while a machine is suspended, and that on the wall may be set: the longer time counts.
	age := max(now.Sub(g.renewed), now.Round(0).Sub(g.renewed.Round(0)))
	return !g.renewed.IsZero() && age >= g.valid
}

func (g *Guard) renew(began time.Time) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if began.After(g.renewed) {
		g.renewed = began
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
