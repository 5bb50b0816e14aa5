package fault

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// places are those at which an agent was ended already, by the name and the number of the act.
type places struct {
	mutex sync.Mutex
	taken map[string]bool
}

func (p *places) claim(place string) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.taken == nil {
		p.taken = map[string]bool{}
	}
	claimed := !p.taken[place]
	p.taken[place] = true
	return claimed
}

// cut ends an agent at one place in the sequence of what it does to the world: its writes to the API server, and its
// notifications. Nothing persistent changes between two of these, so that ending it before and after each of them is ending it
// everywhere. The order of some of them differs from time to time, so the place is the first one that was not taken yet.
type cut struct {
	places *places
	// after says on which side of the act.
	after bool
	kill  func()
	// made is closed when the agent is dead.
	made chan struct{}

	mutex sync.Mutex
	acts  []string
	dying bool
	// closed is set when the agent is not to be ended any more.
	closed bool
}

func newCut(places *places, after bool, kill func()) *cut {
	return &cut{places: places, after: after, kill: kill, made: make(chan struct{})}
}

// meet lets an act happen, or ends the agent at it. It tells whether the agent is to learn of it.
func (c *cut) meet(what string, act func()) bool {
	c.mutex.Lock()
	if c.dying || c.closed {
		defer c.mutex.Unlock()
		return !c.dying
	}
	c.acts = append(c.acts, what)
	number := 0
	for _, one := range c.acts {
		if one == what {
			number++
		}
	}
	c.dying = c.places.claim(fmt.Sprintf("%s %d", what, number))
	dying := c.dying
	c.mutex.Unlock()
	if !dying {
		return true
	}
	if c.after {
		act()
	}
	c.kill()
	close(c.made)
	return false
}

// happened tells whether the agent was ended, and at which of the acts. It waits for one that is being ended: what its last act
// brought about may be seen before it is dead.
func (c *cut) happened() (acts []string, yes bool) {
	c.mutex.Lock()
	dying := c.dying
	c.mutex.Unlock()
	if !dying {
		return nil, false
	}
	<-c.made
	return c.acts, true
}

// close keeps an agent that lives alive.
func (c *cut) close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.closed = true
}

// request is the fault of a gate.
func (c *cut) request(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	if !isWrite(r) {
		forward.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		dropConnection()
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if !c.meet(describe(r, body), func() { forwardUnseen(r, forward) }) {
		dropConnection()
	}
	forward.ServeHTTP(w, r)
}

// notification is what a receiver does about answers. What arrives was received, whether it is answered or not.
func (c *cut) notification(answer func()) {
	if !c.meet(actNotify, answer) {
		dropConnection()
	}
	answer()
}

// Acts of an agent.
const (
	actStatus        = "status"
	actFinalizer     = "finalizer"
	actTracker       = "tracker"
	actTrackerDelete = "tracker deleted"
	actApply         = "apply"
	actDelete        = "delete"
	actHelm          = "Helm"
	actNotify        = "notification"
	actJob           = "Job" // and the step
	actJobExpiry     = "Job's time to live"
)

// describe names what a request does.
func describe(r *http.Request, body []byte) string {
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, "/status"):
		return actStatus
	case strings.Contains(path, "/components/"):
		return actFinalizer
	case strings.Contains(path, "/resourcetrackers") && r.Method == http.MethodDelete:
		return actTrackerDelete
	case strings.Contains(path, "/resourcetrackers"):
		return actTracker
	case strings.Contains(path, "/jobs/"):
		return actJobExpiry
	case strings.HasSuffix(path, "/jobs"):
		for _, step := range []string{"before", "behind", "undo"} {
			if bytes.Contains(body, []byte(step)) {
				return actJob + " " + step
			}
		}
	case r.URL.Query().Get("fieldManager") == "wheelwright-agent":
		return actApply
	case strings.Contains(path, "/secrets") || strings.HasSuffix(path, "-chart") || bytes.Contains(body, []byte("-chart")):
		return actHelm
	case r.Method == http.MethodDelete:
		return actDelete
	}
	return r.Method + " " + path
}
