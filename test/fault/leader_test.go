package fault

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"wheelwright.dev/wheelwright/fleet/process"
)

const elect = "--leader-elect"

// writesOf are what an agent has written, without its lease.
func writesOf(g *gate) []string {
	_, writes := g.counts()
	return writes
}

// A leader that is killed is followed by another one, which has not written anything before.
func TestALeaderThatIsGoneIsFollowed(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	first := l.startBehind(l.gate, elect)
	l.create(l.wholeComponent("db", "r1", "a"))
	l.awaitHealthy("db", "r1")
	secondGate := l.newGate()
	l.agent = l.startBehind(secondGate, elect)
	l.awaitLog("attempting to acquire leader lease")
	held := l.hold()
	l.dispatch("db", "r2", l.wholeProperties("b"))
	held.await()
	if writes := writesOf(secondGate); len(writes) > 0 {
		t.Errorf("an agent without the lease wrote: %q", writes)
	}
	killed := time.Now()
	l.must(first.Kill())
	held.letGo()
	l.awaitHealthy("db", "r2")
	t.Logf("the next agent took %s to take over from one that was killed, and to finish", time.Since(killed).Round(time.Second))
	l.wantEffects("db", "upgrade", "leader killed")
	l.wantTold("db", "upgrade", "leader killed", 2)
}

// The leader is stopped while it makes an object as it was to be. That write gets through when the next leader has made the object
// otherwise; beside it, the stopped leader writes nothing more when it goes on.
func TestALeaderThatWasStoppedDoesNotActAgain(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	itsGate := l.newGate()
	leader := l.startBehind(itsGate, elect)
	l.pauseLeader(leader, itsGate)
}

func (l *lane) pauseLeader(leader *process.Process, itsGate *gate) {
	l.t.Helper()
	l.create(l.component("web", "r1", plainDefinition, text("a")))
	l.awaitHealthy("web", "r1")
	arrived, release := make(chan struct{}), make(chan struct{})
	done := make(chan struct{})
	itsGate.set(func(w http.ResponseWriter, r *http.Request, forward http.Handler) {
		if !strings.HasSuffix(r.URL.Path, "/configmaps/web-config") || r.Method != http.MethodPatch {
			forward.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		l.check(err)
		r.Body = io.NopCloser(bytes.NewReader(body))
		close(arrived)
		<-release
		forwardUnseen(r, forward)
		close(done)
		dropConnection()
	})
	l.dispatch("web", "r2", text("b"))
	<-arrived
	l.must(syscall.Kill(leader.Pid(), syscall.SIGSTOP))
	itsGate.set(nil)
	nextGate := l.newGate()
	l.agent = l.startBehind(nextGate, elect)
	l.dispatch("web", "r3", text("c"))
	l.awaitHealthy("web", "r3")
	before := len(writesOf(itsGate))
	l.must(syscall.Kill(leader.Pid(), syscall.SIGCONT))
	close(release)
	<-done
	select {
	case <-leader.Done():
	case <-time.After(patience):
		l.t.Error("an agent that has lost its lease goes on running")
	}
	if writes := writesOf(itsGate)[before:]; len(writes) > 0 {
		l.t.Errorf("an agent that has lost its lease wrote: %q", writes)
	}
	l.eventually("what the stopped agent had under way is set right", func() string {
		if config := l.config("web-config"); config == nil || config.Data["text"] != "c" {
			return pretty(config)
		}
		return ""
	})
	l.wantPlain("web", "c", "after a stopped leader")
}

// toldByTwo is how often two agents tell an event at most: each may find that the other one wrote, and do its part again.
const toldByTwo = 4

// Two agents that both work are a mistake. It costs writes, and notifications may arrive from each; nothing is lost or done
// otherwise, and they come to rest.
func TestTwoAgentsWithoutElectionLoseNothing(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.start()
	otherGate := l.newGate()
	l.startBehind(otherGate)
	l.awaitLog("Starting workers")
	for _, name := range []string{"one", "two", "three"} {
		l.create(l.wholeComponent(name, "r1", "a"))
		l.awaitHealthy(name, "r1")
		l.wantEffects(name, "create", "two agents")
		l.wantTold(name, "create", "two agents", toldByTwo)
		l.dispatch(name, "r2", l.wholeProperties("b"))
		l.awaitHealthy(name, "r2")
		l.wantEffects(name, "upgrade", "two agents")
		l.wantTold(name, "upgrade", "two agents", toldByTwo)
	}
	l.awaitRest(l.gate, otherGate)
	for _, name := range []string{"one", "two", "three"} {
		l.delete(name)
		l.awaitGone(name)
		l.wantEffects(name, "delete", "two agents")
		l.wantTold(name, "delete", "two agents", toldByTwo)
	}
}

// awaitRest waits for a while in which no agent writes anything.
func (l *lane) awaitRest(gates ...*gate) {
	l.t.Helper()
	last, since := -1, time.Now()
	l.eventually("the agents are at rest for 3 s", func() string {
		writes := 0
		for _, g := range gates {
			writes += len(writesOf(g))
		}
		if writes != last {
			last, since = writes, time.Now()
		}
		if time.Since(since) < 3*time.Second {
			return l.mostFrequent()
		}
		return ""
	})
}
