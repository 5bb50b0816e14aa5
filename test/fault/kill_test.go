package fault

import (
	"encoding/json"
	"fmt"
	"testing"

	"wheelwright.dev/wheelwright/agent/workflow"
)

// lanesPerSide is how many lanes share the places before acts, and how many those after.
const lanesPerSide = 2

// Each life of a Component has one kill in each of its events, at a place where there was none before, until no event has such a
// place any more.
func TestAnAgentThatIsKilledAnywhereGoesOnWhereItWas(t *testing.T) {
	all := &kills{}
	t.Run("lanes", func(t *testing.T) {
		for _, after := range []bool{false, true} {
			side := map[string]*places{"create": {}, "upgrade": {}, "delete": {}}
			for number := range lanesPerSide {
				t.Run(fmt.Sprintf("after=%t,lane=%d", after, number), func(t *testing.T) {
					t.Parallel()
					l := newLane(t)
					l.start()
					for life := 0; !t.Failed(); life++ {
						if l.live(fmt.Sprintf("life-%d", life), side, after, all) == 0 {
							break
						}
					}
				})
			}
		}
	})
	all.report(t)
}

// live takes a whole Component through its life. It gives the number of kills on the way.
func (l *lane) live(name string, side map[string]*places, after bool, all *kills) int {
	l.t.Helper()
	killed := 0
	for _, event := range []struct {
		name    string
		begin   func()
		missing func() string
	}{
		{"create", func() { l.create(l.wholeComponent(name, "r1", "a")) }, func() string { return l.notHealthy(name, "r1") }},
		{"upgrade", func() { l.dispatch(name, "r2", l.wholeProperties("b")) }, func() string { return l.notHealthy(name, "r2") }},
		{"delete", func() { l.delete(name) }, func() string { return l.notGone(name) }},
	} {
		cut := newCut(side[event.name], after, func() { l.check(l.agent.Kill()) })
		l.gate.set(cut.request)
		l.receiver.set(cut.notification)
		event.begin()
		acts, lost := l.throughCut(fmt.Sprintf("the %s event of %s is over", event.name, name), cut, name, event.name, event.missing)
		one := kill{event: event.name, acts: acts, after: after}
		when := "not killed"
		if acts != nil {
			killed++
			when = one.String()
		}
		one.ended = l.wantEffects(name, event.name, when)
		most := 1
		if lost {
			most = 2
		}
		one.told = l.wantTold(name, event.name, when, most)
		if acts != nil {
			all.add(one)
		}
		if l.t.Failed() {
			l.t.Log(when)
			return 0
		}
	}
	return killed
}

// throughCut waits, with another agent once the first one is dead. It gives the acts until then, and whether a notification
// had been sent that nobody had recorded.
func (l *lane) throughCut(what string, cut *cut, name, event string, missing func() string) (acts []string, lost bool) {
	l.t.Helper()
	l.eventually(what, func() string {
		last := missing()
		if last == "" {
			cut.close()
		}
		if made, yes := cut.happened(); yes && acts == nil {
			acts = made
			lost = l.receiver.of(l.t, name, event) > 0 && !l.recorded(name, event, "notify")
			l.gate.set(nil)
			l.receiver.set(nil)
			l.start()
			last = "its agent was killed"
		}
		return last
	})
	l.gate.set(nil)
	l.receiver.set(nil)
	return acts, lost
}

// recorded tells whether the stored run of an event says that a step has succeeded. That of a Component that is gone did.
func (l *lane) recorded(name, event, step string) bool {
	l.t.Helper()
	component := l.get(name)
	if component == nil {
		return true
	}
	if component.Status.WorkflowRun == nil {
		return false
	}
	stored := &workflow.Run{}
	l.must(json.Unmarshal(component.Status.WorkflowRun.Raw, stored))
	for i := range stored.Steps {
		if stored.Steps[i].Name == step && string(stored.Event) == event {
			return stored.Steps[i].Phase == workflow.StepSucceeded
		}
	}
	return false
}
