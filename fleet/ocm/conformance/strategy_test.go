package conformance

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestStrategies holds the rows of the update strategies.
func TestStrategies(t *testing.T) {
	t.Run("A13", mergedAnnotations)
	t.Run("A25", conflictingFields)
	t.Run("A26", twoFieldManagers)
	t.Run("A28", createdOnly)
	t.Run("A29", readOnlyObject)
	t.Run("A30", readOnlyAbsentObject)
}

func mergedAnnotations(t *testing.T) {
	r := unpolled(t)
	gadget := r.gadget("gadget", nil)
	w := manifestWork{name: "a13", manifests: []object{gadget}}
	r.create(w)
	r.awaitWork("a13", applied(metav1.ConditionTrue))

	r.edit(gadget, map[string]any{"metadata": map[string]any{"annotations": map[string]any{"of": "spoke"}}})
	annotated := gadget.DeepCopy()
	annotated.SetAnnotations(map[string]string{"from": "hub"})
	w.manifests = []object{annotated}
	r.update(w)
	r.awaitLive(gadget,
		field("hub", "metadata", "annotations", "from"),
		field("spoke", "metadata", "annotations", "of"))
	r.awaitWork("a13", applied(metav1.ConditionTrue))
}

func conflictingFields(t *testing.T) {
	r := unpolled(t)
	theirs := r.gadget("gadget", map[string]any{"size": "theirs"})
	r.must(spoke.Patch(r.Context(), theirs.DeepCopy(), client.Apply, client.FieldOwner("other")))

	ours := r.gadget("gadget", map[string]any{"size": "ours", "colour": "red"})
	w := manifestWork{name: "a25", manifests: []object{ours}, configs: []config{serverSide(ours, "", false)}}
	r.create(w)
	r.awaitWork("a25", applied(metav1.ConditionFalse),
		manifestHas(0, condition{kind: "Applied", status: metav1.ConditionFalse, message: `conflict with "other"`}),
		available(metav1.ConditionTrue))
	r.must(field("theirs", "spec", "size")(r.mustLive(ours)))

	w.manifests = []object{r.gadget("gadget", map[string]any{"colour": "red"})}
	r.update(w)
	r.awaitWork("a25", applied(metav1.ConditionTrue))
	r.awaitLive(ours, field("theirs", "spec", "size"), field("red", "spec", "colour"))
}

func twoFieldManagers(t *testing.T) {
	r := unpolled(t)
	first := r.gadget("gadget", map[string]any{"size": "small"})
	second := r.gadget("gadget", map[string]any{"colour": "red"})
	one := manifestWork{name: "a26-one", manifests: []object{first}, configs: []config{serverSide(first, "work-agent", false)}}
	two := manifestWork{name: "a26-two", manifests: []object{second}, configs: []config{serverSide(second, "work-agent-another", true)}}
	r.create(one)
	r.awaitWork(one.name, applied(metav1.ConditionTrue))
	r.create(two)
	r.awaitWork(two.name, applied(metav1.ConditionTrue))
	r.awaitLive(first, field("small", "spec", "size"), field("red", "spec", "colour"),
		ownedBy(r.mustRecord(one.name), r.mustRecord(two.name)))

	r.must(managedBy("work-agent Apply", "work-agent Update", "work-agent-another Apply")(r.mustLive(first)))

	one.manifests = []object{r.gadget("gadget", map[string]any{"size": "small", "colour": "blue"})}
	r.update(one)
	r.awaitWork(one.name, applied(metav1.ConditionFalse), manifestHas(0, condition{
		kind: "Applied", status: metav1.ConditionFalse, message: `conflict with "work-agent-another"`,
	}))
	r.must(field("red", "spec", "colour")(r.mustLive(first)))
	r.must(applied(metav1.ConditionTrue)(r.mustWork(two.name)))
}

func createdOnly(t *testing.T) {
	r := unpolled(t)
	gadget := r.gadget("gadget", map[string]any{"size": "small"})
	w := manifestWork{name: "a28", manifests: []object{gadget},
		configs: []config{config{ResourceIdentifier: identifierOf(gadget)}.with(workv1.UpdateStrategyTypeCreateOnly)}}
	r.create(w)
	r.awaitWork("a28", applied(metav1.ConditionTrue))
	r.awaitLive(gadget, field("small", "spec", "size"), ownedBy(r.mustRecord("a28")))

	w.manifests = []object{r.gadget("gadget", map[string]any{"size": "large"})}
	r.update(w)
	r.awaitWork("a28", has(condition{kind: "Applied", status: metav1.ConditionTrue, generation: 2}))
	r.must(field("small", "spec", "size")(r.mustLive(gadget)))
}

func readOnlyObject(t *testing.T) {
	r := unpolled(t)
	gadget := r.gadget("gadget", map[string]any{"size": "theirs"})
	r.must(spoke.Create(r.Context(), gadget.DeepCopy()))
	r.report(gadget, map[string]any{"isHealthy": true})

	ours := r.gadget("gadget", map[string]any{"size": "ours"})
	r.create(manifestWork{name: "a29", manifests: []object{ours},
		configs: []config{healthOf(ours).watched().with(workv1.UpdateStrategyTypeReadOnly)}})
	r.awaitWork("a29", applied(metav1.ConditionTrue), available(metav1.ConditionTrue), values(0, map[string]any{"isHealthy": true}))
	live := r.mustLive(gadget)
	r.must(field("theirs", "spec", "size")(live))
	r.must(ownedBy()(live))

	r.delete("a29")
	r.awaitGone("a29")
	r.must(same(live)(r.mustLive(gadget)))
}

func readOnlyAbsentObject(t *testing.T) {
	r := unpolled(t)
	gadget := r.gadget("gadget", nil)
	r.create(manifestWork{name: "a30", manifests: []object{gadget},
		configs: []config{config{ResourceIdentifier: identifierOf(gadget)}.with(workv1.UpdateStrategyTypeReadOnly)}})
	r.awaitWork("a30", applied(metav1.ConditionTrue), available(metav1.ConditionFalse),
		manifestAvailable(0, metav1.ConditionFalse, "ResourceNotAvailable"))
	r.mustNotLive(gadget)
}
