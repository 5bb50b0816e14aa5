package conformance

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestStatus holds the rows of the report as a whole.
func TestStatus(t *testing.T) {
	t.Run("F19", nothingBeforeApplied)
	t.Run("F20", incompleteManifest)
	t.Run("F21", noManifestsLeft)
	t.Run("F22", noChangeNoPatch)
	t.Run("F29", concurrentWriters)
}

func nothingBeforeApplied(t *testing.T) {
	r := unpolled(t)
	seen := r.workHistory("f19")
	r.create(manifestWork{name: "f19", manifests: []object{r.gadget("gadget", nil)}})
	r.awaitWork("f19", available(metav1.ConditionTrue))
	awaitVersion(r, seen, "the report", available(metav1.ConditionTrue))
	for _, version := range seen.all() {
		hasApplied := meta.FindStatusCondition(version.Status.Conditions, "Applied") != nil
		if hasApplied != (len(version.Status.ResourceStatus.Manifests) > 0) {
			t.Errorf("version %s has a manifest status but no Applied condition", version.ResourceVersion)
		}
		if !hasApplied && meta.FindStatusCondition(version.Status.Conditions, "Available") != nil {
			t.Errorf("version %s is reported on before it is applied", version.ResourceVersion)
		}
	}
}

func incompleteManifest(t *testing.T) {
	r := unpolled(t)
	unknown := newObject("unknown.example.com/v1", "Unknown", r.namespace, "unknown", nil)
	w := manifestWork{name: "f20", manifests: []object{unknown, r.configMap("cm", "")}}
	r.create(w)
	r.awaitWork("f20", has(condition{
		kind: "Available", status: metav1.ConditionUnknown, reason: "ResourcesStatusUnknown", message: "1 of 2 resources have unknown status",
	}))

	homeless := r.configMap("homeless", "")
	homeless.SetNamespace(r.namespace + "-missing")
	w.manifests = append(w.manifests, homeless)
	r.update(w)
	r.awaitWork("f20", has(condition{
		kind: "Available", status: metav1.ConditionFalse, reason: "ResourcesNotAvailable", message: "1 of 3 resources are not available",
	}))
}

func noManifestsLeft(t *testing.T) {
	r := unpolled(t)
	cm := r.configMap("cm", "")
	w := manifestWork{name: "f21", manifests: []object{cm}}
	r.create(w)
	r.awaitWork("f21", applied(metav1.ConditionTrue), available(metav1.ConditionTrue))
	r.awaitRecord("f21", recorded("cm"))

	w.manifests = nil
	r.update(w)
	r.awaitWork("f21",
		has(condition{
			kind: "Available", status: metav1.ConditionUnknown, reason: "ResourcesStatusUnknown", message: "cannot get any available resource",
		}),
		has(condition{kind: "Applied", status: metav1.ConditionTrue, generation: 1})) // of the last manifests
	r.awaitLiveGone(cm)
}

func noChangeNoPatch(t *testing.T) {
	r := polled(t)
	quiet, busy := r.gadget("quiet", nil), r.gadget("busy", nil)
	r.create(manifestWork{name: "f22-quiet", manifests: []object{quiet}, configs: []config{healthOf(quiet)}})
	r.create(manifestWork{name: "f22-busy", manifests: []object{busy}, configs: []config{healthOf(busy)}})
	r.awaitWork("f22-busy", available(metav1.ConditionTrue))
	before := r.awaitWork("f22-quiet", available(metav1.ConditionTrue))
	record := r.awaitRecord("f22-quiet", recorded("quiet"))

	// An interval is one to 1.9 seconds, so that three changes of the one work which each take a
	// poll to be seen leave time for a poll of the other.
	for _, healthy := range []bool{true, false, true} {
		r.report(busy, map[string]any{"isHealthy": healthy})
		r.awaitWork("f22-busy", values(0, map[string]any{"isHealthy": healthy}))
	}
	if after := r.mustWork("f22-quiet"); after.ResourceVersion != before.ResourceVersion {
		t.Errorf("the work has been written: version %s, want %s\n%s", after.ResourceVersion, before.ResourceVersion, r.dump())
	}
	if after := r.mustRecord("f22-quiet"); after.ResourceVersion != record.ResourceVersion {
		t.Errorf("its record has been written: version %s, want %s\n%s", after.ResourceVersion, record.ResourceVersion, r.dump())
	}
}

func concurrentWriters(t *testing.T) {
	r := unpolled(t)
	gadget := r.gadget("gadget", nil)
	w := manifestWork{name: "f29", manifests: []object{gadget}, configs: []config{healthOf(gadget).watched()}}
	r.create(w)
	r.awaitLive(gadget)

	const rounds = 20
	for i := range rounds {
		// Each of these makes the agent write, and the writer here writes at the same time.
		w.manifests = []object{r.gadget("gadget", map[string]any{"round": i})}
		r.update(w)
		r.report(gadget, map[string]any{"isHealthy": i%2 == 0})
		r.addCondition("f29", fmt.Sprintf("Round%d", i))
	}
	want := []workCheck{applied(metav1.ConditionTrue), available(metav1.ConditionTrue), values(0, map[string]any{"isHealthy": false})}
	for i := range rounds {
		want = append(want, has(condition{kind: fmt.Sprintf("Round%d", i), status: metav1.ConditionTrue}))
	}
	r.awaitWork("f29", want...)
}
