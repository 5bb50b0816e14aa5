package fault

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/fleet/process"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/invariant"
)

// patience is how long a test waits for what it knows must come.
const patience = 90 * time.Second

// lane is one test's part of the cluster: a namespace, an agent that sees nothing else, and what its workflows reach.
type lane struct {
	t        testing.TB
	ns       string
	gate     *gate
	receiver *receiver
	agent    *process.Process
	gates    []*gate
	// agents are all that were ever started.
	agents []*process.Process
	logs   []string
}

// newLane makes a lane without an agent. At its end nothing may be left, and no agent may have panicked.
func newLane(t testing.TB) *lane {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "fault-"}}
	if err := shared.client.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	l := &lane{t: t, ns: namespace.Name, receiver: newReceiver(t)}
	l.gate = l.newGate()
	l.create(&rbacv1.RoleBinding{ // what Components that are applied by hand act with
		ObjectMeta: metav1.ObjectMeta{Namespace: l.ns, Name: "default"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: l.ns, Name: "default"}},
	})
	l.create(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: l.ns, Name: "settings"}, Data: map[string]string{"color": "blue"},
	})
	t.Cleanup(l.finish)
	return l
}

// start runs the lane's agent, and returns when it is at work.
func (l *lane) start() {
	l.t.Helper()
	l.agent = l.startBehind(l.gate)
	l.awaitLog("Starting workers")
}

// awaitLog waits until the agent that was started last says something. Nothing else tells that its caches are filled.
func (l *lane) awaitLog(what string) {
	l.t.Helper()
	file, last := l.logs[len(l.logs)-1], l.agents[len(l.agents)-1]
	l.eventually("the agent says "+what, func() string {
		select {
		case <-last.Done():
			l.t.Fatalf("the agent ended: %v", last.Err())
		default:
		}
		content, err := os.ReadFile(file)
		l.must(err)
		if !bytes.Contains(content, []byte(what)) {
			return "see " + file
		}
		return ""
	})
}

// startBehind runs an agent that reaches the cluster through a gate.
func (l *lane) startBehind(g *gate, args ...string) *process.Process {
	l.t.Helper()
	kubeconfig := filepath.Join(l.t.TempDir(), "kubeconfig")
	config := clientcmdapi.NewConfig()
	config.Clusters["gate"] = &clientcmdapi.Cluster{Server: g.server.URL}
	config.Contexts["gate"] = &clientcmdapi.Context{Cluster: "gate"}
	config.CurrentContext = "gate"
	l.must(clientcmd.WriteToFile(*config, kubeconfig))
	logFile := filepath.Join(shared.dir, fmt.Sprintf("%s-%d.log", l.ns, len(l.logs)))
	l.logs = append(l.logs, logFile)
	started, err := process.Start(context.Background(), process.Spec{
		Name: "the agent of " + l.ns, Path: shared.binary, LogFile: logFile,
		Args: append([]string{"--kubeconfig=" + kubeconfig, "--health-probe-bind-address=0"}, args...),
		Env:  []string{"POD_NAMESPACE=" + l.ns, "HOME=" + shared.dir, "TMPDIR=" + shared.dir},
	})
	l.must(err)
	l.agents = append(l.agents, started)
	return started
}

// restart ends the agent without warning, and runs another one.
func (l *lane) restart() {
	l.t.Helper()
	l.must(l.agent.Kill())
	l.start()
}

func (l *lane) finish() {
	defer func() {
		for _, one := range l.agents {
			l.check(one.Kill())
		}
		for _, one := range l.gates {
			one.server.CloseClientConnections()
			one.server.Close()
		}
	}()
	l.gate.set(nil)
	l.receiver.set(nil)
	if l.t.Failed() {
		return // everything stays, for a look
	}
	list := l.components()
	for i := range list {
		l.must(client.IgnoreNotFound(shared.client.Delete(context.Background(), &list[i])))
	}
	l.eventually("all Components are gone", func() string {
		if left := l.components(); len(left) > 0 {
			return fmt.Sprintf("%d are left, first: %s", len(left), pretty(left[0].Status))
		}
		return ""
	})
	for _, left := range l.owned() {
		l.t.Errorf("left behind: %s", left)
	}
	for _, file := range l.logs {
		content, err := os.ReadFile(file)
		l.must(err)
		if at := bytes.Index(content, []byte("panic")); at >= 0 {
			l.t.Errorf("an agent panicked, see %s: %.500s", file, content[at:])
		}
	}
	l.must(shared.client.Delete(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: l.ns}}))
}

// owned are the objects that Components of the lane own or owned, and their trackers.
func (l *lane) owned() []string {
	l.t.Helper()
	var found []string
	configs := &corev1.ConfigMapList{}
	l.must(shared.client.List(context.Background(), configs,
		client.MatchingLabels{corev1alpha1.ComponentNamespaceLabel: l.ns}, client.HasLabels{corev1alpha1.OutputLabel}))
	for i := range configs.Items {
		found = append(found, "ConfigMap "+configs.Items[i].Name)
	}
	trackers := &corev1alpha1.ResourceTrackerList{}
	l.must(shared.client.List(context.Background(), trackers))
	for i := range trackers.Items {
		if trackers.Items[i].Spec.Component.Namespace == l.ns {
			found = append(found, "ResourceTracker "+trackers.Items[i].Name)
		}
	}
	return found
}

func (l *lane) components() []corev1alpha1.Component {
	l.t.Helper()
	list := &corev1alpha1.ComponentList{}
	l.must(shared.client.List(context.Background(), list, client.InNamespace(l.ns)))
	return list.Items
}

func (l *lane) create(object client.Object) {
	l.t.Helper()
	l.must(shared.client.Create(context.Background(), object))
}

// dispatch edits a Component as the hub does: new properties, whole, under a new revision.
func (l *lane) dispatch(name, revision, properties string) {
	l.t.Helper()
	l.patch(name, types.JSONPatchType, fmt.Sprintf(
		`[{"op":"add","path":"/spec/revision","value":%q},{"op":"add","path":"/spec/properties","value":%s}]`, revision, properties))
}

func (l *lane) patch(name string, kind types.PatchType, patch string) {
	l.t.Helper()
	component := &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: l.ns, Name: name}}
	l.must(shared.client.Patch(context.Background(), component, client.RawPatch(kind, []byte(patch))))
}

// patchStatus edits the status as a person does who should not.
func (l *lane) patchStatus(name string, kind types.PatchType, patch string) {
	l.t.Helper()
	component := &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: l.ns, Name: name}}
	l.must(shared.client.Status().Patch(context.Background(), component, client.RawPatch(kind, []byte(patch))))
}

func (l *lane) delete(name string) {
	l.t.Helper()
	component := &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: l.ns, Name: name}}
	l.must(shared.client.Delete(context.Background(), component))
}

// get reads a Component, or gives nil when it is gone.
func (l *lane) get(name string) *corev1alpha1.Component {
	l.t.Helper()
	component := &corev1alpha1.Component{}
	err := shared.client.Get(context.Background(), client.ObjectKey{Namespace: l.ns, Name: name}, component)
	l.must(client.IgnoreNotFound(err))
	if err != nil {
		return nil
	}
	return component
}

func (l *lane) config(name string) *corev1.ConfigMap {
	l.t.Helper()
	config := &corev1.ConfigMap{}
	err := shared.client.Get(context.Background(), client.ObjectKey{Namespace: l.ns, Name: name}, config)
	l.must(client.IgnoreNotFound(err))
	if err != nil {
		return nil
	}
	return config
}

// notHealthy says what keeps a Component from being healthy at a revision, or "".
func (l *lane) notHealthy(name, revision string) string {
	l.t.Helper()
	component := l.get(name)
	if component == nil {
		return "it is not there"
	}
	if health := component.Status.Health; len(health) == 1 && health[0].Revision == revision && health[0].IsHealthy {
		return ""
	}
	return pretty(component.Status)
}

func (l *lane) awaitHealthy(name, revision string) {
	l.t.Helper()
	l.eventually(fmt.Sprintf("%s is healthy at %s", name, revision), func() string { return l.notHealthy(name, revision) })
	if component := l.get(name); component != nil {
		for _, broken := range invariant.OfComponent(component, nil) {
			l.t.Errorf("%s at %s: %s", name, revision, broken)
		}
	}
}

func (l *lane) notGone(name string) string {
	l.t.Helper()
	if component := l.get(name); component != nil {
		return pretty(component.Status)
	}
	return ""
}

func (l *lane) awaitGone(name string) {
	l.t.Helper()
	l.eventually(name+" is gone", func() string { return l.notGone(name) })
}

func (l *lane) eventually(what string, missing func() string) {
	l.t.Helper()
	deadline := time.Now().Add(patience)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		last := missing()
		if last == "" {
			return
		}
		if time.Now().After(deadline) {
			l.t.Fatalf("waited %s until %s (namespace %s); last: %s\n%s", patience, what, l.ns, last, l.diagnosis())
		}
		<-ticker.C
	}
}

// diagnosis says what the agent was at. It ends the agent, with all of its stacks in its log.
func (l *lane) diagnosis() string {
	if l.agent == nil {
		return "there is no agent"
	}
	pending, writes := l.gate.pending(), writesOf(l.gate)
	_ = syscall.Kill(l.agent.Pid(), syscall.SIGQUIT) // it may be gone
	select {
	case <-l.agent.Done():
	case <-time.After(5 * time.Second):
	}
	return fmt.Sprintf("under way: %q; last writes: %q; log: %s", pending, writes[max(len(writes)-5, 0):], l.logs[len(l.logs)-1])
}

func (l *lane) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// check is must for goroutines that are not the test's own.
func (l *lane) check(err error) {
	if err != nil {
		l.t.Error(err)
	}
}

func pretty(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}
