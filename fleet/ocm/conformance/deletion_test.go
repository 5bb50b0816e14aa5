package conformance

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	workv1 "open-cluster-management.io/api/work/v1"

	"wheelwright.dev/wheelwright/fleet/ocm/rbac"
)

// TestDeletion holds the rows of works that go, and of who keeps what they leave.
func TestDeletion(t *testing.T) {
	t.Run("D1", deletedWork)
	t.Run("D2", objectsWithFinalizers)
	t.Run("D4", sharedObjectOfDeletedWork)
	t.Run("D5", sharedObjectDropped)
	t.Run("D6", orphanAll)
	t.Run("D7", orphanSome)
	t.Run("D9", orphaningRevoked)
	t.Run("D10", orphanCoOwned)
	t.Run("D11", recreatedByAnother)
	t.Run("D12", otherVersionOfSameResource)
	t.Run("D20", deletedBeforeTheAgentSawIt)
	t.Run("after the right to read was lost", unreadableObject)
}

func deletedWork(t *testing.T) {
	r := unpolled(t)
	one, two := r.configMap("one", ""), r.gadget("two", nil)
	r.create(manifestWork{name: "d1", manifests: []object{one, two}})
	r.awaitWork("d1", applied(metav1.ConditionTrue))
	r.awaitRecord("d1", recorded("one", "two"))

	seen := r.workHistory("d1")
	r.delete("d1")
	r.awaitGone("d1")
	r.mustNotLive(one)
	r.mustNotLive(two)
	r.awaitRecordGone("d1")
	for _, version := range seen.all() {
		if version.DeletionTimestamp != nil && len(version.Finalizers) > 0 && !slices.Contains(version.Finalizers, workv1.ManifestWorkFinalizer) {
			t.Errorf("version %s: finalizers %v", version.ResourceVersion, version.Finalizers)
		}
	}
}

func objectsWithFinalizers(t *testing.T) {
	r := unpolled(t)
	one, two := r.configMap("one", ""), r.configMap("two", "")
	r.create(manifestWork{name: "d2", manifests: []object{one, two}})
	r.awaitWork("d2", applied(metav1.ConditionTrue))
	r.awaitRecord("d2", recorded("one", "two"))
	hold := map[string]any{"metadata": map[string]any{"finalizers": []any{"conformance.wheelwright.dev/hold"}}}
	release := map[string]any{"metadata": map[string]any{"finalizers": nil}}
	r.edit(one, hold)
	r.edit(two, hold)

	r.delete("d2")
	r.awaitWork("d2", has(condition{kind: "Deleting", status: metav1.ConditionTrue, reason: "WorkDeleting"}))
	deleting := func(live object) error {
		if live.GetDeletionTimestamp() == nil {
			return errNotDeleting
		}
		return nil
	}
	r.awaitLive(one, deleting)
	r.awaitLive(two, deleting)

	r.edit(one, release)
	r.awaitRecord("d2", recorded("two"))
	r.fence()
	if r.mustWork("d2").DeletionTimestamp == nil || r.mustRecord("d2").DeletionTimestamp == nil {
		t.Errorf("work and record must both be on their way out\n%s", r.dump())
	}

	r.edit(two, release)
	r.awaitGone("d2")
	r.awaitRecordGone("d2")
}

// shared makes two works of one object.
func (r *row) shared(name string, o object) (one, two manifestWork) {
	r.Helper()
	one, two = manifestWork{name: name + "-one", manifests: []object{o}}, manifestWork{name: name + "-two", manifests: []object{o}}
	for _, w := range []manifestWork{one, two} {
		r.create(w)
		r.awaitWork(w.name, applied(metav1.ConditionTrue))
		r.awaitRecord(w.name, recorded(o.GetName()))
	}
	r.awaitLive(o, ownedBy(r.mustRecord(one.name), r.mustRecord(two.name)))
	return one, two
}

func sharedObjectOfDeletedWork(t *testing.T) {
	r := unpolled(t)
	cm := r.configMap("shared", "")
	one, two := r.shared("d4", cm)
	before := r.mustLive(cm)
	r.delete(one.name)
	r.awaitGone(one.name)
	r.awaitLive(cm, same(before), ownedBy(r.mustRecord(two.name)))
}

func sharedObjectDropped(t *testing.T) {
	r := unpolled(t)
	cm := r.configMap("shared", "")
	one, two := r.shared("d5", cm)
	before := r.mustLive(cm)
	one.manifests = []object{r.configMap("other", "")}
	r.update(one)
	r.awaitRecord(one.name, recorded("other"))
	r.awaitLive(cm, same(before), ownedBy(r.mustRecord(two.name)))
}

func orphanAll(t *testing.T) {
	r := unpolled(t)
	one, two := r.configMap("one", ""), r.gadget("two", nil)
	r.create(manifestWork{name: "d6", manifests: []object{one, two},
		deleteOption: &workv1.DeleteOption{PropagationPolicy: workv1.DeletePropagationPolicyTypeOrphan}})
	r.awaitWork("d6", applied(metav1.ConditionTrue))
	before := []object{r.awaitLive(one, ownedBy()), r.awaitLive(two, ownedBy())}

	r.delete("d6")
	r.awaitGone("d6")
	r.must(same(before[0])(r.mustLive(one)))
	r.must(same(before[1])(r.mustLive(two)))
}

// orphaning is the delete option that lets only the one object stay.
func orphaning(o object) *workv1.DeleteOption {
	return &workv1.DeleteOption{
		PropagationPolicy: workv1.DeletePropagationPolicyTypeSelectivelyOrphan,
		SelectivelyOrphan: &workv1.SelectivelyOrphan{OrphaningRules: []workv1.OrphaningRule{workv1.OrphaningRule(identifierOf(o))}},
	}
}

func orphanSome(t *testing.T) {
	r := unpolled(t)
	one, two := r.configMap("one", ""), r.configMap("two", "")
	r.create(manifestWork{name: "d7", manifests: []object{one, two}, deleteOption: orphaning(one)})
	r.awaitWork("d7", applied(metav1.ConditionTrue))
	before := r.awaitLive(one, ownedBy())
	r.awaitLive(two, ownedBy(r.mustRecord("d7")))

	r.delete("d7")
	r.awaitGone("d7")
	r.must(same(before)(r.mustLive(one)))
	r.mustNotLive(two)
}

func orphaningRevoked(t *testing.T) {
	r := unpolled(t)
	one, two := r.configMap("one", ""), r.configMap("two", "")
	w := manifestWork{name: "d9", manifests: []object{one, two}, deleteOption: orphaning(one)}
	r.create(w)
	r.awaitWork("d9", applied(metav1.ConditionTrue))
	r.awaitLive(one, ownedBy())

	w.deleteOption = nil
	r.update(w)
	r.awaitLive(one, ownedBy(r.mustRecord("d9")))
	r.awaitWork("d9", applied(metav1.ConditionTrue))
	r.awaitRecord("d9", recorded("one", "two"))
	r.delete("d9")
	r.awaitGone("d9")
	r.mustNotLive(one)
	r.mustNotLive(two)
}

func orphanCoOwned(t *testing.T) {
	r := unpolled(t)
	cm := r.configMap("shared", "")
	one, two := r.shared("d10", cm)
	one.deleteOption = &workv1.DeleteOption{PropagationPolicy: workv1.DeletePropagationPolicyTypeOrphan}
	r.update(one)
	r.awaitLive(cm, ownedBy(r.mustRecord(two.name)))
	r.awaitWork(one.name, applied(metav1.ConditionTrue))
}

func recreatedByAnother(t *testing.T) {
	r := unpolled(t)
	cm := r.configMap("cm", "ours")
	r.create(manifestWork{name: "d11", manifests: []object{cm}})
	r.awaitWork("d11", applied(metav1.ConditionTrue))
	r.awaitRecord("d11", recorded("cm"))
	r.must(spoke.Delete(r.Context(), cm.DeepCopy()))
	theirs := r.configMap("cm", "theirs")
	r.must(spoke.Create(r.Context(), theirs))

	r.delete("d11")
	r.awaitGone("d11")
	r.must(same(theirs)(r.mustLive(cm)))
}

func otherVersionOfSameResource(t *testing.T) {
	r := unpolled(t)
	beta := newObject(testGroup+"/v1beta1", "Gadget", r.namespace, "gadget", map[string]any{"spec": map[string]any{}})
	w := manifestWork{name: "d12", manifests: []object{beta}}
	r.create(w)
	r.awaitWork("d12", applied(metav1.ConditionTrue))
	record := r.awaitRecord("d12", recorded("gadget"))
	before := r.mustLive(beta)

	w.manifests = []object{r.gadget("gadget", map[string]any{"size": "large"})}
	r.update(w)
	r.awaitLive(w.manifests[0], same(before), field("large", "spec", "size"), ownedBy(record))
	r.awaitRecord("d12", recorded("gadget"), func(record *workv1.AppliedManifestWork) error {
		return equal("v1", record.Status.AppliedResources[0].Version)
	})
	r.fence()
	r.must(same(before)(r.mustLive(beta)))
}

func deletedBeforeTheAgentSawIt(t *testing.T) {
	r := alone(t, agentOptions{})
	cm := r.configMap("cm", "")
	r.create(manifestWork{name: "d20", manifests: []object{cm}})
	r.delete("d20")
	r.awaitGone("d20")
	r.startAgent()
	r.fence()
	r.mustNotLive(cm)
	r.awaitRecordGone("d20")
}

// A work that has gone does not prove that its object has: one that the agent may no longer read
// it forgets. What would collect it by its owner reference is held off here by a finalizer.
func unreadableObject(t *testing.T) {
	r := alone(t, agentOptions{})
	definition := newDefinition("Keepsake", "keepsakes")
	r.must(unstructured.SetNestedField(definition.Object, "lost.wheelwright.dev", "spec", "group"))
	definition.SetName("keepsakes.lost.wheelwright.dev")
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: r.namespace, Labels: map[string]string{rbac.AggregateLabel: "true"}},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"lost.wheelwright.dev"}, Resources: []string{"*"}, Verbs: []string{"*"}}},
	}
	r.must(spoke.Create(r.Context(), definition))
	r.must(spoke.Create(r.Context(), role))
	keepsake := newObject("lost.wheelwright.dev/v1", "Keepsake", r.namespace, "keepsake", nil)
	r.startAgent()
	r.create(manifestWork{name: r.namespace, manifests: []object{keepsake}})
	r.awaitWork(r.namespace, applied(metav1.ConditionTrue))
	r.awaitRecord(r.namespace, recorded("keepsake"))
	before := r.mustLive(keepsake)
	r.edit(keepsake, map[string]any{"metadata": map[string]any{"finalizers": []any{"conformance.wheelwright.dev/hold"}}})

	r.must(spoke.Delete(r.Context(), role))
	r.await("the loss of the right", func() error { return r.agentMayNotRead("lost.wheelwright.dev", "keepsakes") })
	r.delete(r.namespace)
	r.awaitGone(r.namespace)
	r.must(same(before)(r.mustLive(keepsake)))
	r.edit(keepsake, map[string]any{"metadata": map[string]any{"finalizers": nil}})
}
