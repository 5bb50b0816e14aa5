package fault

import (
	"net/http"
	"testing"
	"time"
)

// The API server ends in the middle of each event, and comes back with its data. It is not parallel to other tests, which need
// it.
func TestTheAPIServerIsRestartedInTheMiddle(t *testing.T) {
	l := newLane(t)
	l.start()
	inTheMiddle := func(begin func(), over func()) {
		t.Helper()
		held := l.hold()
		begin()
		held.await()
		l.must(shared.controlPlane.StopAPIServer(t.Context()))
		held.letGo()
		l.must(shared.controlPlane.StartAPIServer(t.Context()))
		over()
	}
	inTheMiddle(func() { l.create(l.wholeComponent("db", "r1", "a")) }, func() { l.awaitHealthy("db", "r1") })
	l.wantEffects("db", "create", "API server restarted")
	l.wantTold("db", "create", "API server restarted", 1)
	inTheMiddle(func() { l.dispatch("db", "r2", l.wholeProperties("b")) }, func() { l.awaitHealthy("db", "r2") })
	l.wantEffects("db", "upgrade", "API server restarted")
	l.wantTold("db", "upgrade", "API server restarted", 1)
	inTheMiddle(func() { l.delete("db") }, func() { l.awaitGone("db") })
	l.wantEffects("db", "delete", "API server restarted")
	l.wantTold("db", "delete", "API server restarted", 1)
}

// All connections end in the middle of each event, and none can be made for a while.
func TestTheNetworkIsGoneForAWhile(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.start()
	inTheMiddle := func(begin func(), over func()) {
		t.Helper()
		held := l.hold()
		begin()
		held.await()
		l.gate.set(func(http.ResponseWriter, *http.Request, http.Handler) { dropConnection() })
		l.gate.server.CloseClientConnections()
		held.letGo()
		before, _ := l.gate.counts()
		<-time.After(5 * time.Second) // the fault, not a wait for something
		after, _ := l.gate.counts()
		if tries := after - before; tries > 200 {
			t.Errorf("the agent made %d requests in 5 s without a network", tries)
		}
		l.gate.set(nil)
		over()
	}
	inTheMiddle(func() { l.create(l.wholeComponent("db", "r1", "a")) }, func() { l.awaitHealthy("db", "r1") })
	l.wantEffects("db", "create", "network gone")
	l.wantTold("db", "create", "network gone", 1)
	inTheMiddle(func() { l.dispatch("db", "r2", l.wholeProperties("b")) }, func() { l.awaitHealthy("db", "r2") })
	l.wantEffects("db", "upgrade", "network gone")
	l.wantTold("db", "upgrade", "network gone", 1)
	inTheMiddle(func() { l.delete("db") }, func() { l.awaitGone("db") })
	l.wantEffects("db", "delete", "network gone")
	l.wantTold("db", "delete", "network gone", 1)
}
