package fault

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var plainDefinition = definitionOf("plain", plain, "")

func text(value string) string { return fmt.Sprintf(`{"text":%q}`, value) }

// wantPlain demands that a plain Component has the objects of a value, and no others.
func (l *lane) wantPlain(name, value, when string) {
	l.t.Helper()
	list := &corev1.ConfigMapList{}
	l.must(shared.client.List(context.Background(), list, client.InNamespace(l.ns)))
	got := map[string]string{}
	for i := range list.Items {
		if l.labelled(&list.Items[i], name) {
			got[list.Items[i].Name] = list.Items[i].Data["text"]
		}
	}
	diff := cmp.Diff(map[string]string{name + "-config": value, name + "-" + value: ""}, got)
	if diff += cmp.Diff([]string{name + "-" + value, name + "-config"}, l.tracked(name)); diff != "" {
		l.t.Errorf("%s: objects and tracker (-want +got):\n%s", when, diff)
	}
}

func (l *lane) labelled(config *corev1.ConfigMap, component string) bool {
	return config.Labels["core.wheelwright.dev/component"] == component
}

func (l *lane) uid(config string) types.UID {
	l.t.Helper()
	found := l.config(config)
	if found == nil {
		return ""
	}
	return found.UID
}

// An agent that never saw B must not act on it.
func TestAChangeThatIsTakenBackBeforeItIsSeenChangesNothing(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.start()
	l.create(l.component("web", "r0", plainDefinition, text("a")))
	l.awaitHealthy("web", "r0")
	before := []types.UID{l.uid("web-config"), l.uid("web-a")}
	for round := 1; round <= 5; round++ {
		l.must(l.agent.Kill())
		l.dispatch("web", fmt.Sprintf("b%d", round), text("b"))
		l.dispatch("web", fmt.Sprintf("r%d", round), text("a"))
		l.start()
		l.awaitHealthy("web", fmt.Sprintf("r%d", round))
	}
	if diff := cmp.Diff(before, []types.UID{l.uid("web-config"), l.uid("web-a")}); diff != "" {
		t.Errorf("objects of A were made anew (-before +after):\n%s", diff)
	}
	l.wantPlain("web", "a", "after A, B, A")
}

func TestFlippingFasterThanAReconcileEndsAtTheLastRevision(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.start()
	l.create(l.component("web", "r0", plainDefinition, text("a")))
	l.awaitHealthy("web", "r0")
	config := l.uid("web-config")
	const flips = 200
	for flip := 1; flip <= flips; flip++ {
		l.dispatch("web", fmt.Sprintf("r%d", flip), text([]string{"a", "b"}[flip%2]))
		if flip%50 == 0 {
			l.restart()
		}
	}
	l.awaitHealthy("web", fmt.Sprintf("r%d", flips))
	if l.uid("web-config") != config {
		t.Error("the object that A and B have in common was made anew")
	}
	l.wantPlain("web", "a", fmt.Sprintf("after %d flips", flips))
}

// The agent is killed at each of the acts by which it makes B, and the Component is A again before the next agent comes.
func TestAnInterruptedBIsTakenBack(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.start()
	killed := 0
	for _, after := range []bool{false, true} {
		side := &places{}
		for number := 0; ; number++ {
			name := fmt.Sprintf("web-%d-%t", number, after)
			l.create(l.component(name, "r1", plainDefinition, text("a")))
			l.awaitHealthy(name, "r1")
			before := l.uid(name + "-config")
			cut := newCut(side, after, func() { l.check(l.agent.Kill()) })
			l.gate.set(cut.request)
			l.dispatch(name, "r2", text("b"))
			acts := l.awaitCutOr(cut, func() string { return l.notHealthy(name, "r2") })
			l.dispatch(name, "r3", text("a"))
			if acts != nil {
				killed++
				l.start()
			}
			l.awaitHealthy(name, "r3")
			if l.uid(name+"-config") != before {
				t.Errorf("%s: the object that A and B have in common was made anew", name)
			}
			l.wantPlain(name, "a", fmt.Sprintf("killed at %v", acts))
			l.delete(name)
			l.awaitGone(name)
			if acts == nil {
				break
			}
		}
	}
	t.Logf("%d agents were killed", killed)
}

// awaitCutOr waits until the agent was killed, or until something has come about without that.
func (l *lane) awaitCutOr(cut *cut, missing func() string) (acts []string) {
	l.t.Helper()
	l.eventually("the agent is killed, or done", func() string {
		last := missing()
		if last == "" {
			cut.close()
		}
		if made, yes := cut.happened(); yes {
			acts = made
			return ""
		}
		return last
	})
	l.gate.set(nil)
	return acts
}
