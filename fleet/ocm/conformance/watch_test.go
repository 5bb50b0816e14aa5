package conformance

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestPollOnly shows the stand-in as an agent from before there was a scrape type.
func TestPollOnly(t *testing.T) {
	if agentBinary() != "" {
		t.Skip("it is about the stand-in")
	}
	r := alone(t, agentOptions{pollOnly: true, statusInterval: hour})
	r.startAgent()
	gadget := r.gadget("gadget", nil)
	w := manifestWork{name: r.namespace, manifests: []object{gadget}, configs: []config{healthOf(gadget).watched()}}
	r.create(w)
	r.awaitWork(w.name, available(metav1.ConditionTrue), values(0, map[string]any{}))
	r.report(gadget, map[string]any{"isHealthy": true})
	r.fence()
	r.must(values(0, map[string]any{})(r.mustWork(w.name)))

	w.annotations = map[string]string{"any": "event"} // makes the agent look
	r.update(w)
	r.awaitWork(w.name, values(0, map[string]any{"isHealthy": true}))
}

// TestWatch holds the rows of feedback that is watched for.
func TestWatch(t *testing.T) {
	t.Run("F23", deletionIsNoEvent)
	t.Run("F24", moreWatchesThanAllowed)
	t.Run("F25", clusterScopedObject)
}

func deletionIsNoEvent(t *testing.T) {
	r := unpolled(t)
	doomed, other := r.gadget("doomed", nil), r.gadget("other", nil)
	w := manifestWork{name: "f23", manifests: []object{doomed}, configs: []config{healthOf(doomed).watched()}}
	r.create(w)
	r.create(manifestWork{name: "f23-other", manifests: []object{other}, configs: []config{healthOf(other).watched()}})
	for name, gadget := range map[string]object{"f23": doomed, "f23-other": other} {
		r.awaitLive(gadget)
		r.report(gadget, map[string]any{"isHealthy": true})
		r.awaitWork(name, values(0, map[string]any{"isHealthy": true}))
	}

	r.must(spoke.Delete(r.Context(), doomed.DeepCopy()))
	r.report(other, map[string]any{"isHealthy": false}) // comes by the same watch, later
	r.awaitWork("f23-other", values(0, map[string]any{"isHealthy": false}))
	r.must(available(metav1.ConditionTrue)(r.mustWork("f23")))

	w.annotations = map[string]string{"any": "event"} // makes the agent look
	r.update(w)
	r.awaitWork("f23", manifestAvailable(0, metav1.ConditionFalse, "ResourceNotAvailable"), values(0, map[string]any{"isHealthy": true}))
}

func moreWatchesThanAllowed(t *testing.T) {
	r := alone(t, agentOptions{maxWatches: 1})
	r.startAgent()
	gadget, gizmo := r.gadget("gadget", nil), r.gizmo()
	r.create(manifestWork{name: "f24", manifests: []object{gadget, gizmo},
		configs: []config{healthOf(gadget).watched(), healthOf(gizmo).watched()}})
	for ordinal, manifest := range []object{gadget, gizmo} {
		r.awaitLive(manifest)
		r.report(manifest, map[string]any{"isHealthy": true})
		r.awaitWork("f24", values(ordinal, map[string]any{"isHealthy": true}),
			feedbackSynced(ordinal, metav1.ConditionTrue, "StatusFeedbackSynced"))
	}
}

func clusterScopedObject(t *testing.T) {
	r := unpolled(t)
	gizmo := r.gizmo()
	r.create(manifestWork{name: "f25", manifests: []object{gizmo}, configs: []config{healthOf(gizmo).watched()}})
	r.awaitWork("f25", available(metav1.ConditionTrue))
	for _, healthy := range []bool{true, false} {
		r.report(gizmo, map[string]any{"isHealthy": healthy})
		r.awaitWork("f25", values(0, map[string]any{"isHealthy": healthy}))
	}
}
