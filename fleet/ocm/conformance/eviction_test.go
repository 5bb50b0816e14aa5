package conformance

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	workv1 "open-cluster-management.io/api/work/v1"

	"wheelwright.dev/wheelwright/fleet/ocm/work"
)

// TestEviction holds the rows of records whose work has gone without a word, and of hubs that
// agents move to.
func TestEviction(t *testing.T) {
	t.Run("D13", workLost)
	t.Run("D13b", workComesBackInTime)
	t.Run("D15", evictionDisabled)
	t.Run("D16", otherHub)
	t.Run("D17", otherHubAndAgent)
	t.Run("D18", recordWithoutWork)
}

// lose applies a work and removes it behind the back of the agent, which is stopped afterwards.
func (r *row) lose(w manifestWork) {
	r.Helper()
	r.startAgent()
	r.create(w)
	r.awaitWork(w.name, applied(metav1.ConditionTrue))
	r.awaitRecord(w.name, recorded(w.manifests[0].GetName()))
	r.stopAgent()
	r.forceDelete(w.name)
}

func workLost(t *testing.T) {
	r := alone(t, agentOptions{evictionGrace: 3 * time.Second})
	cm := r.configMap("cm", "")
	r.lose(manifestWork{name: "d13", manifests: []object{cm}})
	r.startAgent()

	record := r.awaitRecord("d13", evicting(true))
	r.mustLive(cm)
	r.awaitRecordGone("d13")
	r.awaitLiveGone(cm)
	if waited := time.Since(record.Status.EvictionStartTime.Time); waited < r.options.evictionGrace {
		t.Errorf("evicted after %v, want no sooner than %v", waited, r.options.evictionGrace)
	}
}

func workComesBackInTime(t *testing.T) {
	r := alone(t, agentOptions{})
	cm := r.configMap("cm", "")
	w := manifestWork{name: "d13b", manifests: []object{cm}}
	r.lose(w)
	r.startAgent()
	record := r.awaitRecord("d13b", evicting(true))
	before := r.mustLive(cm)

	r.create(w)
	r.awaitRecord("d13b", evicting(false))
	r.awaitWork("d13b", applied(metav1.ConditionTrue))
	r.awaitLive(cm, same(before), ownedBy(record))
}

func evictionDisabled(t *testing.T) {
	r := alone(t, agentOptions{})
	cm := r.configMap("cm", "")
	r.lose(manifestWork{name: "d15", manifests: []object{cm}})
	r.startAgent()
	r.awaitRecord("d15", evicting(true))
	r.stopAgent()

	r.options.evictionGrace = work.NeverEvict
	r.startAgent()
	r.awaitRecord("d15", evicting(false))
	r.fence()
	r.must(evicting(false)(r.mustRecord("d15")))
	r.mustLive(cm)
}

// move applies a work on the one hub, and a copy of it by an agent of the second.
func (r *row) move(w manifestWork, agentID string) (before *workv1.AppliedManifestWork) {
	r.Helper()
	r.startAgent()
	r.create(w)
	r.awaitWork(w.name, applied(metav1.ConditionTrue))
	before = r.awaitRecord(w.name, recorded(w.manifests[0].GetName()))
	r.stopAgent()

	r.use(secondHub)
	r.agentID = agentID
	r.create(w)
	r.startAgent()
	r.awaitWork(w.name, applied(metav1.ConditionTrue), available(metav1.ConditionTrue))
	r.awaitRecord(w.name, recorded(w.manifests[0].GetName()))
	return before
}

func otherHub(t *testing.T) {
	r := alone(t, agentOptions{evictionGrace: 3 * time.Second})
	cm := r.configMap("cm", "")
	seen := r.liveHistory(cm)
	former := r.move(manifestWork{name: "d16", manifests: []object{cm}}, r.agentID)

	r.await("the former record", func() error {
		record := &workv1.AppliedManifestWork{}
		return gone(former, spoke.Get(r.Context(), keyOf(former), record))
	})
	r.awaitLive(cm, ownedBy(r.mustRecord("d16")))
	for _, version := range seen.all() {
		if version.GetUID() != seen.all()[0].GetUID() || version.GetDeletionTimestamp() != nil {
			t.Errorf("the object has been deleted: %v", version.GetUID())
		}
	}
}

func otherHubAndAgent(t *testing.T) {
	r := alone(t, agentOptions{evictionGrace: time.Second})
	cm := r.configMap("cm", "")
	former := r.move(manifestWork{name: "d17", manifests: []object{cm}}, "another-"+r.agentID)

	// Well after the grace period of the other, a record of this agent's own is evicted.
	orphan := r.orphanRecord("d17-orphan")
	r.await("an own record", func() error {
		record := &workv1.AppliedManifestWork{}
		return gone(orphan, spoke.Get(r.Context(), keyOf(orphan), record))
	})
	r.must(spoke.Get(r.Context(), keyOf(former), former))
	r.must(evicting(false)(former))
	r.awaitLive(cm, ownedBy(former, r.mustRecord("d17")))
}

func recordWithoutWork(t *testing.T) {
	r := alone(t, agentOptions{evictionGrace: time.Second})
	r.orphanRecord("d18")
	r.startAgent()
	r.awaitRecordGone("d18")
}

// orphanRecord makes a record of this hub and agent for a work that is not there.
func (r *row) orphanRecord(name string) *workv1.AppliedManifestWork {
	r.Helper()
	record := &workv1.AppliedManifestWork{
		ObjectMeta: metav1.ObjectMeta{Name: r.recordName(name), Finalizers: []string{workv1.AppliedManifestWorkFinalizer}},
		Spec:       workv1.AppliedManifestWorkSpec{HubHash: work.HubHash(r.hubURL), AgentID: r.agentID, ManifestWorkName: name},
	}
	r.must(spoke.Create(r.Context(), record))
	return record
}
