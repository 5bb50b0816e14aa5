package agent_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// BenchmarkEditToHealthy measures from the edit of a Component, in a value that only its ConfigMap has, to the event that
// says healthy at the edit's revision. The floor makes the same API calls and waits for the same events without an agent.
func BenchmarkEditToHealthy(b *testing.B) {
	b.Run("agent", func(b *testing.B) {
		s := newSpoke(b)
		s.create(s.component("web", "r0", webservice(b), settled))
		s.awaitHealth("web", "r0", true)
		s.awaitQuiet("web")
		measure(b, s, func(string) {})
	})
	b.Run("floor", func(b *testing.B) {
		s := newSpoke(b)
		s.create(s.component("web", "r0", webservice(b), settled))
		s.awaitHealth("web", "r0", true)
		s.stop()
		ledger, component := s.tracker("web"), s.get("web")
		measure(b, s, func(revision string) {
			ledger.Spec.RenderHash = revision
			s.must(s.client.Update(b.Context(), ledger))
			config := s.object("v1", "ConfigMap", "web-config")
			config.SetManagedFields(nil)
			config.SetResourceVersion("")
			config.Object["data"] = map[string]any{"greeting": revision}
			s.must(s.client.Patch(b.Context(), config, client.Apply, client.FieldOwner("floor"), client.ForceOwnership))
			before := component.DeepCopy()
			component.Status.Health = []corev1alpha1.RevisionHealth{{Revision: revision, IsHealthy: true}}
			s.must(s.client.Status().Patch(b.Context(), component, client.MergeFrom(before)))
		})
		s.record.discard() // no agent wrote these
		s.startAgent()     // to clean up
	})
}

// measure edits the Component again and again. answer does what the agent would do, where there is none.
func measure(b *testing.B, s *spoke, answer func(revision string)) {
	watcher, err := s.client.Watch(b.Context(), &corev1alpha1.ComponentList{}, client.InNamespace(s.ns))
	if err != nil {
		b.Fatal(err)
	}
	defer watcher.Stop()
	var took []time.Duration
	for n := 0; b.Loop(); n++ {
		revision := fmt.Sprintf("b%d", n)
		start := time.Now()
		s.dispatch("web", revision, fmt.Sprintf(`{"image":"nginx:1.27","config":{"greeting":%q}}`, revision))
		answer(revision)
		awaitTrue(b, watcher, revision)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

func awaitTrue(b *testing.B, watcher watch.Interface, revision string) {
	b.Helper()
	for event := range watcher.ResultChan() {
		component, ok := event.Object.(*corev1alpha1.Component)
		if !ok {
			b.Fatalf("unexpected event: %v", event)
		}
		for _, entry := range component.Status.Health {
			if entry.Revision == revision && entry.IsHealthy {
				return
			}
		}
	}
	b.Fatal("the watch ended")
}
