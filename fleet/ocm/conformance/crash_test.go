package conformance

import (
	"testing"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	workv1 "open-cluster-management.io/api/work/v1"

	"wheelwright.dev/wheelwright/fleet/ocm/work"
)

// TestCrash ends agents in the middle of things.
func TestCrash(t *testing.T) {
	t.Run("between apply and report", crashBeforeReport)
	t.Run("while objects are held", crashWhileDeleting)
}

func crashBeforeReport(t *testing.T) {
	r := alone(t, agentOptions{})
	cm := r.configMap("cm", "")
	r.forbidReports()
	r.startAgent()
	w := manifestWork{name: r.namespace, manifests: []object{cm}}
	r.create(w)
	before := r.awaitLive(cm)
	r.stopAgent()
	r.must(lacks(workv1.WorkApplied)(r.mustWork(r.namespace)))

	r.allowOnHub()
	r.startAgent()
	r.awaitWork(r.namespace, applied(metav1.ConditionTrue), available(metav1.ConditionTrue))
	r.awaitRecord(r.namespace, recorded("cm"))
	r.awaitLive(cm, same(before), ownedBy(r.mustRecord(r.namespace)))
}

func crashWhileDeleting(t *testing.T) {
	r := alone(t, agentOptions{})
	cm := r.configMap("cm", "")
	r.startAgent()
	r.create(manifestWork{name: r.namespace, manifests: []object{cm}})
	r.awaitWork(r.namespace, applied(metav1.ConditionTrue))
	r.awaitRecord(r.namespace, recorded("cm"))
	r.edit(cm, map[string]any{"metadata": map[string]any{"finalizers": []any{"conformance.wheelwright.dev/hold"}}})
	r.delete(r.namespace)
	r.awaitWork(r.namespace, has(condition{kind: "Deleting", status: metav1.ConditionTrue}))
	r.stopAgent()

	r.edit(cm, map[string]any{"metadata": map[string]any{"finalizers": nil}})
	r.startAgent()
	r.awaitGone(r.namespace)
	r.awaitLiveGone(cm)
	r.awaitRecordGone(r.namespace)
}

// TestNothingLeftRunning shows that the stand-in's Run, when it returns, has ended all that it
// started. It is not parallel: it must not see what other rows start.
func TestNothingLeftRunning(t *testing.T) {
	if agentBinary() != "" {
		t.Skip("it is about the stand-in")
	}
	hubConfig, err := clientcmd.BuildConfigFromFlags("", hub.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	r := newRow(t)
	r.hub, r.cluster, r.hubURL = hub, "nothingleftrunning", hubConfig.Host
	r.must(hub.Create(t.Context(), namespaceOf(r.cluster)))
	before := goleak.IgnoreCurrent()

	agent, err := work.New(work.Options{HubConfig: hubConfig, SpokeConfig: spoke.RESTConfig(), ClusterName: r.cluster})
	r.must(err)
	running := run(agent)
	gadget := r.gadget("gadget", nil)
	r.create(manifestWork{name: r.namespace, manifests: []object{gadget}, configs: []config{healthOf(gadget).watched()}})
	r.awaitLive(gadget)
	r.report(gadget, map[string]any{"isHealthy": true})
	r.awaitWork(r.namespace, values(0, map[string]any{"isHealthy": true}))
	r.must(running.stop())
	goleak.VerifyNone(t, before)
}
