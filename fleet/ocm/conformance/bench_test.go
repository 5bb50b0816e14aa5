package conformance

import (
	"context"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// bench is a cluster namespace with an agent of its own, and a watch of its works.
type bench struct {
	*testing.B

	cluster string
	works   watch.Interface
}

func newBench(b *testing.B) *bench {
	b.Helper()
	name := fmt.Sprintf("bench-%d", time.Now().UnixNano())
	shared := &sharedAgent{cluster: name, interval: hour}
	running, err := shared.run()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = running.stop() })
	works, err := hub.Watch(context.Background(), &workv1.ManifestWorkList{}, client.InNamespace(name))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(works.Stop)
	if err := spoke.Create(b.Context(), namespaceOf(name)); err != nil {
		b.Fatal(err)
	}
	return &bench{B: b, cluster: name, works: works}
}

func (b *bench) gadget(name string, size int) object {
	return newObject(testGroup+"/v1", "Gadget", b.cluster, name, map[string]any{"spec": map[string]any{"size": size}})
}

// manifestWork is a work of one gadget, in the way of Wheelwright's.
func (b *bench) manifestWork(name string, size int) object {
	gadget := b.gadget(name, size)
	c := healthOf(gadget).watched()
	c.UpdateStrategy = serverSide(gadget, "work-agent-wheelwright", true).UpdateStrategy
	w := manifestWork{name: name, manifests: []object{gadget}, configs: []config{c}}
	return newObject("work.open-cluster-management.io/v1", "ManifestWork", b.cluster, name, map[string]any{"spec": w.spec()})
}

// await reads the watch until the check holds of as many different works.
func (b *bench) await(count int, checks ...workCheck) {
	b.Helper()
	done := map[string]bool{}
	for event := range b.works.ResultChan() {
		work, ok := event.Object.(*workv1.ManifestWork)
		if ok && all(work, checks) == nil {
			done[work.Name] = true
		}
		if len(done) == count {
			return
		}
	}
	b.Fatal("the watch has ended")
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkApply is the time from a change of a work's spec to its Applied at that generation.
func BenchmarkApply(b *testing.B) {
	bench := newBench(b)
	work := bench.manifestWork("work", 0)
	bench.must(hub.Create(b.Context(), work))
	bench.await(1, available(metav1.ConditionTrue))
	for i := 0; b.Loop(); i++ {
		bench.must(hub.Patch(b.Context(), work, mergePatch(map[string]any{"spec": bench.manifestWork("work", i+1).Object["spec"]})))
		bench.await(1, applied(metav1.ConditionTrue))
	}
}

// BenchmarkFeedback is the time from a change of an object's status to its value on the hub.
func BenchmarkFeedback(b *testing.B) {
	bench := newBench(b)
	bench.must(hub.Create(b.Context(), bench.manifestWork("work", 0)))
	bench.await(1, available(metav1.ConditionTrue))
	gadget := bench.gadget("work", 0)
	for i := 0; b.Loop(); i++ {
		healthy := i%2 == 0
		bench.must(spoke.Status().Patch(b.Context(), gadget, mergePatch(map[string]any{"status": map[string]any{"isHealthy": healthy}})))
		bench.await(1, values(0, map[string]any{"isHealthy": healthy}))
	}
}

// BenchmarkFleetOfWorks is the time that 400 new works take to be applied and available, all of
// one agent at its default limits.
func BenchmarkFleetOfWorks(b *testing.B) {
	const count = 400
	for b.Loop() {
		bench := newBench(b)
		for i := range count {
			bench.must(hub.Create(b.Context(), bench.manifestWork(fmt.Sprintf("work-%d", i), 0)))
		}
		bench.await(count, available(metav1.ConditionTrue))
	}
}
