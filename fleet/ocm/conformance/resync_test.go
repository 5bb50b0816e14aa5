package conformance

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestResync holds what comes of an agent that applies again although nothing has changed.
func TestResync(t *testing.T) {
	t.Run("A15", driftIsReverted)
	t.Run("A16", deletedObjectComesBack)
}

func driftIsReverted(t *testing.T) {
	r := alone(t, agentOptions{resync: time.Second})
	r.startAgent()
	gadget := r.gadget("gadget", map[string]any{"size": "small"})
	w := manifestWork{name: "a15", manifests: []object{gadget}}
	r.create(w)
	r.awaitWork("a15", applied(metav1.ConditionTrue))
	seen := r.workHistory("a15")

	r.edit(gadget, map[string]any{"spec": map[string]any{"size": "large"}})
	if !canResync() {
		r.fence()
		r.must(field("large", "spec", "size")(r.mustLive(gadget)))
		w.labels = map[string]string{"an": "apply"}
		r.update(w)
	}
	r.awaitLive(gadget, field("small", "spec", "size"))
	r.fence()
	for _, version := range seen.all() {
		if !meta.IsStatusConditionTrue(version.Status.Conditions, "Applied") {
			t.Errorf("version %s is not Applied: %v", version.ResourceVersion, version.Status.Conditions)
		}
	}
}

func deletedObjectComesBack(t *testing.T) {
	r := alone(t, agentOptions{resync: 3 * time.Second})
	r.startAgent()
	gadget := r.gadget("gadget", nil)
	w := manifestWork{name: "a16", manifests: []object{gadget}, configs: []config{healthOf(gadget)}}
	r.create(w)
	r.awaitLive(gadget)
	r.report(gadget, map[string]any{"isHealthy": true})
	r.awaitWork("a16", values(0, map[string]any{"isHealthy": true}))

	seen := r.workHistory("a16")
	r.must(spoke.Delete(r.Context(), gadget.DeepCopy()))
	awaitVersion(r, seen, "the loss is reported beside the former value",
		manifestAvailable(0, metav1.ConditionFalse, "ResourceNotAvailable"), values(0, map[string]any{"isHealthy": true}))
	if !canResync() {
		r.fence()
		r.mustNotLive(gadget)
		w.labels = map[string]string{"an": "apply"}
		r.update(w)
	}
	r.awaitLive(gadget)
	r.awaitWork("a16", available(metav1.ConditionTrue), values(0, map[string]any{}))
}
