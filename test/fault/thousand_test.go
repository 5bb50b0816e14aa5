package fault

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// It is not parallel to other tests, since its times are reported.
func TestAThousandComponents(t *testing.T) {
	count := 1000
	if testing.Short() {
		count = 50
	}
	l := newLane(t)
	l.start()
	timed := func(what string, each func(name string), missing func() int) {
		started := time.Now()
		forEach(count, each)
		asked := time.Since(started)
		l.eventually(fmt.Sprintf("%d Components are %s", count, what), func() string {
			if left := missing(); left > 0 {
				<-time.After(200 * time.Millisecond) // a list of a thousand is not to be the load
				return fmt.Sprintf("%d are not", left)
			}
			return ""
		})
		requests, writes := l.gate.counts()
		t.Logf("%d Components %s in %s (asked for in %s), %d requests of the agent so far, %d of them writes",
			count, what, time.Since(started).Round(100*time.Millisecond), asked.Round(100*time.Millisecond), requests, len(writes))
	}
	timed("created", func(name string) { l.create(l.component(name, "r1", plainDefinition, text("a"))) }, l.unhealthyAt("r1", count))
	timed("upgraded", func(name string) { l.dispatch(name, "r2", text("b")) }, l.unhealthyAt("r2", count))
	list := &corev1.ConfigMapList{}
	l.must(shared.client.List(context.Background(), list, client.InNamespace(l.ns), client.HasLabels{"core.wheelwright.dev/output"}))
	if len(list.Items) != 2*count {
		t.Errorf("there are %d objects, want %d", len(list.Items), 2*count)
	}
	timed("deleted", l.delete, func() int { return len(l.components()) })
}

func (l *lane) unhealthyAt(revision string, count int) func() int {
	return func() int {
		healthy := 0
		for _, component := range l.components() {
			if health := component.Status.Health; len(health) == 1 && health[0].Revision == revision && health[0].IsHealthy {
				healthy++
			}
		}
		return count - healthy
	}
}

func forEach(count int, each func(name string)) {
	const askers = 8
	var group sync.WaitGroup
	for asker := range askers {
		group.Go(func() {
			for i := asker; i < count; i += askers {
				each(fmt.Sprintf("web-%d", i))
			}
		})
	}
	group.Wait()
}
