package conformance

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	workv1 "open-cluster-management.io/api/work/v1"
)

// TestFeedback holds the rows of what comes back of an object.
func TestFeedback(t *testing.T) {
	t.Run("F1", statusAbsent)
	t.Run("F2", valueOfStatus)
	t.Run("F3", falseIsAValue)
	t.Run("F4", valueIsTyped)
	t.Run("F5", fractionIsAnError)
	t.Run("F6", collectionIsAnError)
	t.Run("F8", firstOfSeveralMatches)
	t.Run("F9", filterOnNoList)
	t.Run("F10", otherVersion)
	t.Run("F11", wellKnownStatus)
	t.Run("F12", changeOfValue)
	t.Run("F13", valueDisappears)
	t.Run("F14", noRules)
	t.Run("F15", firstConfigWins)
	t.Run("F16", wildcardConfig)
	t.Run("F17", configForNothing)
	t.Run("F18", oldValueBesideNewGeneration)
}

func statusAbsent(t *testing.T) {
	r := unpolled(t)
	gadget := r.gadget("gadget", nil)
	r.create(manifestWork{name: "f1", manifests: []object{gadget}, configs: []config{healthOf(gadget).watched()}})
	r.awaitWork("f1", values(0, map[string]any{}), feedbackSynced(0, metav1.ConditionTrue, "StatusFeedbackSynced"))
}

func valueOfStatus(t *testing.T) {
	t.Run("Poll", func(t *testing.T) {
		r := polled(t)
		r.reports("f2-poll", healthOf(r.gadget("gadget", nil)))
	})
	t.Run("Watch", func(t *testing.T) {
		r := unpolled(t)
		r.reports("f2-watch", healthOf(r.gadget("gadget", nil)).watched())
	})
}

// reports shows that the config brings back what happens to its object from one second to the next.
func (r *row) reports(name string, c config) {
	r.Helper()
	gadget := r.gadget("gadget", nil)
	r.create(manifestWork{name: name, manifests: []object{gadget}, configs: []config{c}})
	r.awaitWork(name, feedbackSynced(0, metav1.ConditionTrue, "StatusFeedbackSynced"))
	for _, healthy := range []bool{true, false, true} {
		r.report(gadget, map[string]any{"isHealthy": healthy})
		r.awaitWork(name, values(0, map[string]any{"isHealthy": healthy}))
	}
}

// yields applies a gadget of that status and wants the values and the condition of the config.
func (r *row) yields(name string, status map[string]any, c config, want map[string]any, synced metav1.ConditionStatus) *workv1.ManifestWork {
	r.Helper()
	gadget := r.gadget("gadget", nil)
	r.create(manifestWork{name: name, manifests: []object{gadget}, configs: []config{c.watched()}})
	r.awaitLive(gadget)
	r.report(gadget, status)
	reason := map[metav1.ConditionStatus]string{
		metav1.ConditionTrue:  "StatusFeedbackSynced",
		metav1.ConditionFalse: "StatusFeedbackSyncFailed",
	}[synced]
	return r.awaitWork(name, values(0, want), feedbackSynced(0, synced, reason))
}

func falseIsAValue(t *testing.T) {
	r := unpolled(t)
	r.yields("f3", map[string]any{"isHealthy": false}, healthOf(r.gadget("gadget", nil)),
		map[string]any{"isHealthy": false}, metav1.ConditionTrue)
}

func valueIsTyped(t *testing.T) {
	r := unpolled(t)
	paths := map[string]string{"isHealthy": ".status.isHealthy", "replicas": ".status.replicas"}
	r.yields("f4", map[string]any{"isHealthy": "true", "replicas": 3}, feedback(r.gadget("gadget", nil), paths),
		map[string]any{"isHealthy": "true", "replicas": int64(3)}, metav1.ConditionTrue)
}

func fractionIsAnError(t *testing.T) {
	r := unpolled(t)
	r.yields("f5", map[string]any{"isHealthy": 1.5}, healthOf(r.gadget("gadget", nil)),
		map[string]any{}, metav1.ConditionFalse)
}

func collectionIsAnError(t *testing.T) {
	r := unpolled(t)
	paths := map[string]string{"map": ".status", "list": ".status.list", "isHealthy": ".status.isHealthy"}
	r.yields("f6", map[string]any{"isHealthy": true, "list": []any{"one"}}, feedback(r.gadget("gadget", nil), paths),
		map[string]any{"isHealthy": true}, metav1.ConditionFalse)
}

func firstOfSeveralMatches(t *testing.T) {
	r := unpolled(t)
	paths := map[string]string{"isHealthy": `.status.health[?(@.revision=="r1")].isHealthy`}
	health := []any{
		map[string]any{"revision": "r0", "isHealthy": true},
		map[string]any{"revision": "r1", "isHealthy": false},
		map[string]any{"revision": "r1", "isHealthy": true},
	}
	r.yields("f8", map[string]any{"health": health}, feedback(r.gadget("gadget", nil), paths),
		map[string]any{"isHealthy": false}, metav1.ConditionTrue)
}

func filterOnNoList(t *testing.T) {
	r := unpolled(t)
	paths := map[string]string{"isHealthy": `.status.health[?(@.revision=="r1")].isHealthy`}
	r.yields("f9", map[string]any{"health": true}, feedback(r.gadget("gadget", nil), paths),
		map[string]any{}, metav1.ConditionFalse)
}

func otherVersion(t *testing.T) {
	r := unpolled(t)
	c := feedback(r.gadget("gadget", nil), map[string]string{"isHealthy": ".status.isHealthy"})
	c.FeedbackRules[0].JsonPaths = append(c.FeedbackRules[0].JsonPaths,
		workv1.JsonPath{Name: "beta", Path: ".status.isHealthy", Version: "v1beta1"},
		workv1.JsonPath{Name: "stable", Path: ".status.isHealthy", Version: "v1"})
	r.yields("f10", map[string]any{"isHealthy": true}, c,
		map[string]any{"isHealthy": true, "stable": true}, metav1.ConditionFalse)
}

func wellKnownStatus(t *testing.T) {
	r := unpolled(t)
	account, deployment := r.serviceAccount("account"), r.deployment("deployment")
	wellKnown := []workv1.FeedbackRule{{Type: workv1.WellKnownStatusType}}
	r.create(manifestWork{name: "f11", manifests: []object{account, deployment}, configs: []config{
		{ResourceIdentifier: identifierOf(account), FeedbackRules: wellKnown},
		config{ResourceIdentifier: identifierOf(deployment), FeedbackRules: wellKnown}.watched(),
	}})
	r.awaitWork("f11",
		values(0, map[string]any{}), feedbackSynced(0, metav1.ConditionFalse, "StatusFeedbackSyncFailed"),
		values(1, map[string]any{"Replicas": int64(1)}), feedbackSynced(1, metav1.ConditionTrue, "StatusFeedbackSynced"))
}

func changeOfValue(t *testing.T) {
	r := unpolled(t)
	gadget := r.gadget("gadget", nil)
	work := r.yields("f12", map[string]any{"isHealthy": false}, healthOf(gadget), map[string]any{"isHealthy": false}, metav1.ConditionTrue)
	before := transition(r, work.Status.ResourceStatus.Manifests[0].Conditions, "StatusFeedbackSynced")
	r.awaitNextSecond(before)

	r.report(gadget, map[string]any{"isHealthy": true})
	work = r.awaitWork("f12", values(0, map[string]any{"isHealthy": true}), feedbackSynced(0, metav1.ConditionTrue, ""))
	if now := transition(r, work.Status.ResourceStatus.Manifests[0].Conditions, "StatusFeedbackSynced"); !now.After(before.Time) {
		t.Errorf("transition %v, want one after %v", now, before)
	}
}

func valueDisappears(t *testing.T) {
	r := unpolled(t)
	gadget := r.gadget("gadget", nil)
	r.yields("f13", map[string]any{"isHealthy": true}, healthOf(gadget), map[string]any{"isHealthy": true}, metav1.ConditionTrue)
	r.report(gadget, map[string]any{"isHealthy": nil})
	r.awaitWork("f13", values(0, map[string]any{}), feedbackSynced(0, metav1.ConditionTrue, "StatusFeedbackSynced"))
}

func noRules(t *testing.T) {
	r := unpolled(t)
	r.create(manifestWork{name: "f14", manifests: []object{r.gadget("gadget", nil)}})
	r.awaitWork("f14", values(0, map[string]any{}), feedbackSynced(0, metav1.ConditionTrue, "NoStatusFeedbackSynced"))
}

func firstConfigWins(t *testing.T) {
	r := unpolled(t)
	gadget := r.gadget("gadget", map[string]any{"size": "small", "colour": "red"})
	r.create(manifestWork{name: "f15", manifests: []object{gadget}, configs: []config{
		config{ResourceIdentifier: identifierOf(gadget)}.with(workv1.UpdateStrategyTypeServerSideApply), // no rules
		feedback(gadget, map[string]string{"size": ".spec.size"}),
		feedback(gadget, map[string]string{"colour": ".spec.colour"}),
	}})
	r.awaitWork("f15", values(0, map[string]any{"size": "small"}))
}

func wildcardConfig(t *testing.T) {
	r := unpolled(t)
	one := r.gadget("one", map[string]any{"size": "small"})
	two := r.gadget("two", map[string]any{"size": "large"})
	other := r.configMap("other", "")
	c := feedback(one, map[string]string{"size": ".spec.size"})
	c.ResourceIdentifier.Name, c.ResourceIdentifier.Namespace = "*", "f*6"
	r.create(manifestWork{name: "f16", manifests: []object{one, two, other}, configs: []config{c}})
	r.awaitWork("f16",
		values(0, map[string]any{"size": "small"}),
		values(1, map[string]any{"size": "large"}),
		values(2, map[string]any{}), feedbackSynced(2, metav1.ConditionTrue, "NoStatusFeedbackSynced"))
}

func configForNothing(t *testing.T) {
	r := unpolled(t)
	gadget := r.gadget("gadget", map[string]any{"size": "small"})
	r.create(manifestWork{name: "f17", manifests: []object{gadget}, configs: []config{
		healthOf(r.gadget("another", nil)),
		feedback(gadget, map[string]string{"size": ".spec.size"}),
	}})
	r.awaitWork("f17", applied(metav1.ConditionTrue), available(metav1.ConditionTrue), values(0, map[string]any{"size": "small"}))
}

func oldValueBesideNewGeneration(t *testing.T) {
	r := unpolled(t)
	gadget := r.gadget("gadget", nil)
	r.yields("f18", map[string]any{"isHealthy": true}, healthOf(gadget), map[string]any{"isHealthy": true}, metav1.ConditionTrue)
	seen := r.workHistory("f18")

	changed := r.gadget("gadget", map[string]any{"size": "large"})
	r.update(manifestWork{name: "f18", manifests: []object{changed}, configs: []config{healthOf(gadget).watched()}})
	awaitVersion(r, seen, "the new generation is Applied beside the value of the old one",
		has(condition{kind: "Applied", status: metav1.ConditionTrue, generation: 2}),
		values(0, map[string]any{"isHealthy": true}))
}
