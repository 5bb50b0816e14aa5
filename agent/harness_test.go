package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"wheelwright.dev/wheelwright/agent"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/definition"
)

// patience is how long a test waits for what it knows must come.
const patience = 60 * time.Second

// spoke is one test's view of the cluster: a namespace, a client, a running agent, and a record of all that happened.
type spoke struct {
	t      testing.TB
	ns     string
	client client.WithWatch
	calls  *callLog
	stop   func()
	record *record
	// options are the agent's, but for its hash key.
	options agent.Options
}

// newSpoke makes a namespace and starts an agent. At the end of the test everything in it must be gone, and every status that
// was ever written must have kept the invariants.
func newSpoke(t testing.TB) *spoke {
	t.Helper()
	return newSpokeWith(t, agent.Options{})
}

func newSpokeWith(t testing.TB, options agent.Options) *spoke {
	t.Helper()
	scheme, err := agent.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	if err := rbacv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	spokeClient, err := client.NewWithWatch(spokeConfig, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	s := &spoke{t: t, client: spokeClient, calls: &callLog{}, options: options}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := spokeClient.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	s.ns = namespace.Name
	s.grant("cluster-admin")
	s.record = startRecord(t, spokeClient, s.ns)
	s.startAgent()
	t.Cleanup(s.finish)
	return s
}

// grant lets the service accounts of the test's namespace do what a ClusterRole allows, anywhere. It is what Components that are
// applied by hand act with.
func (s *spoke) grant(role string) {
	s.t.Helper()
	s.must(s.client.Create(s.t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: s.ns},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "system:serviceaccounts:" + s.ns}},
	}))
}

// startAgent runs the agent as cmd/agent does, but for the ports that it does not need here.
func (s *spoke) startAgent() {
	s.t.Helper()
	kubeconfig := rest.CopyConfig(spokeConfig)
	kubeconfig.Wrap(s.calls.wrap)
	scheme, err := agent.NewScheme()
	if err != nil {
		s.t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(kubeconfig, ctrl.Options{
		Scheme:     scheme,
		Cache:      agent.CacheOptions(),
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(context.Background())
	options := s.options
	options.HashKey = []byte("a key of tests")
	if err := agent.Setup(ctx, mgr, options); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	s.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Errorf("the agent ended: %v", err)
		}
		mgr.GetHTTPClient().CloseIdleConnections()
		// A workqueue that was shut down takes up to half a second to end this one.
		slow := goleak.IgnoreAnyFunction("k8s.io/client-go/util/workqueue.(*Typed[...]).updateUnfinishedWorkLoop")
		// client-go's metadata client leaves this one behind when a watch is stopped while it has something to say.
		stuck := goleak.IgnoreAnyFunction("k8s.io/apimachinery/pkg/watch.(*filteredWatch).loop")
		// One that was cut off is as good as dead: whatever it leaves would go with its process.
		if err := goleak.Find(before, slow, stuck); err != nil && !s.calls.isCut() {
			s.t.Errorf("the agent left goroutines behind: %v", err)
		}
		s.stop = func() {}
	}
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		s.t.Fatal("the agent's cache does not sync")
	}
}

// restartAgent stops the agent and starts a new one, with an empty memory.
func (s *spoke) restartAgent() {
	s.t.Helper()
	s.stop()
	s.calls.restore()
	s.startAgent()
}

func (s *spoke) finish() {
	ctx := context.Background()
	components := &corev1alpha1.ComponentList{}
	s.must(s.client.List(ctx, components, client.InNamespace(s.ns)))
	for i := range components.Items {
		s.must(client.IgnoreNotFound(s.client.Delete(ctx, &components.Items[i])))
	}
	s.eventually("all Components are gone", func() string {
		s.must(s.client.List(ctx, components, client.InNamespace(s.ns)))
		if n := len(components.Items); n > 0 {
			return fmt.Sprintf("%d are left, first: %s", n, pretty(components.Items[0].Status))
		}
		return ""
	})
	s.stop()
	trackers := &corev1alpha1.ResourceTrackerList{}
	s.must(s.client.List(ctx, trackers))
	for _, ledger := range trackers.Items {
		if ledger.Spec.Component.Namespace == s.ns {
			s.t.Errorf("tracker %s is left behind", ledger.Name)
		}
	}
	s.record.finish(s.t)
	s.must(client.IgnoreNotFound(s.client.Delete(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: s.ns}})))
	// The namespace stays, and ends with the control plane: emptying it takes the API server as long as a short test.
}

// component makes a Component that carries its definition, as one that the hub dispatched. Without a revision it is standalone.
func (s *spoke) component(name, revision string, def definition.Definition, properties string) *corev1alpha1.Component {
	return &corev1alpha1.Component{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: name},
		Spec: corev1alpha1.ComponentSpec{
			Type: def.Name, Revision: revision, DefinitionSnapshot: def.Snapshot(),
			Properties: &runtime.RawExtension{Raw: []byte(properties)},
		},
	}
}

func (s *spoke) create(object client.Object) {
	s.t.Helper()
	if err := s.client.Create(s.t.Context(), object); err != nil {
		s.t.Fatalf("creating %T %s: %v", object, object.GetName(), err)
	}
}

// edit changes the Component of that name, whatever else is written to it meanwhile.
func (s *spoke) edit(name string, change func(*corev1alpha1.Component)) *corev1alpha1.Component {
	s.t.Helper()
	component := s.get(name)
	before := component.DeepCopy()
	change(component)
	s.must(s.client.Patch(s.t.Context(), component, client.MergeFrom(before)))
	return component
}

// dispatch edits a Component as the hub does: new properties, whole, under a new revision, whatever the agent writes meanwhile.
func (s *spoke) dispatch(name, revision, properties string) {
	s.t.Helper()
	patch := fmt.Sprintf(`[{"op":"add","path":"/spec/revision","value":%q},{"op":"add","path":"/spec/properties","value":%s}]`, revision, properties)
	component := &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: name}}
	s.must(s.client.Patch(s.t.Context(), component, client.RawPatch(types.JSONPatchType, []byte(patch))))
}

func (s *spoke) get(name string) *corev1alpha1.Component {
	s.t.Helper()
	component := &corev1alpha1.Component{}
	if err := s.client.Get(s.t.Context(), client.ObjectKey{Namespace: s.ns, Name: name}, component); err != nil {
		s.t.Fatalf("reading Component %s: %v", name, err)
	}
	return component
}

// awaitHealth waits until status.health says healthy of revision.
func (s *spoke) awaitHealth(name, revision string, healthy bool) *corev1alpha1.Component {
	s.t.Helper()
	var component *corev1alpha1.Component
	s.eventually(fmt.Sprintf("Component %s is healthy=%v at %s", name, healthy, revision), func() string {
		component = s.get(name)
		for _, entry := range component.Status.Health {
			if entry.Revision == revision && entry.IsHealthy == healthy {
				return ""
			}
		}
		return pretty(component.Status)
	})
	return component
}

// awaitReason waits until a condition of the Component's present generation has the reason.
func (s *spoke) awaitReason(name, typ, reason string) metav1.Condition {
	s.t.Helper()
	var found metav1.Condition
	s.eventually(fmt.Sprintf("Component %s has %s with reason %s", name, typ, reason), func() string {
		component := s.get(name)
		for _, one := range component.Status.Conditions {
			if one.Type == typ && one.Reason == reason && one.ObservedGeneration == component.Generation {
				found = one
				return ""
			}
		}
		return pretty(component.Status)
	})
	return found
}

// awaitEvent waits until the agent has told a person of something that happened to the Component.
func (s *spoke) awaitEvent(name, reason string) {
	s.t.Helper()
	s.eventually("an event with reason "+reason, func() string {
		events := &corev1.EventList{}
		s.must(s.client.List(s.t.Context(), events, client.InNamespace(s.ns)))
		for _, one := range events.Items {
			if one.InvolvedObject.Name == name && one.Reason == reason {
				return ""
			}
		}
		return fmt.Sprintf("%d others", len(events.Items))
	})
}

func (s *spoke) tracker(name string) *corev1alpha1.ResourceTracker {
	s.t.Helper()
	ledger := &corev1alpha1.ResourceTracker{}
	s.must(s.client.Get(s.t.Context(), client.ObjectKey{Name: s.ns + "." + name}, ledger))
	return ledger
}

// object reads an object of any kind in the test's namespace, or gives nil.
func (s *spoke) object(apiVersion, kind, name string) *unstructured.Unstructured {
	s.t.Helper()
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(schema.FromAPIVersionAndKind(apiVersion, kind))
	err := s.client.Get(s.t.Context(), client.ObjectKey{Namespace: s.ns, Name: name}, found)
	if apierrors.IsNotFound(err) {
		return nil
	}
	s.must(err)
	return found
}

// patch merges into an object as somebody else would.
func (s *spoke) patch(apiVersion, kind, name, patch string) {
	s.t.Helper()
	target := &unstructured.Unstructured{}
	target.SetGroupVersionKind(schema.FromAPIVersionAndKind(apiVersion, kind))
	target.SetNamespace(s.ns)
	target.SetName(name)
	s.must(s.client.Patch(s.t.Context(), target, client.RawPatch(types.MergePatchType, []byte(patch)), client.FieldOwner("somebody-else")))
}

func (s *spoke) configData(name string) map[string]string {
	s.t.Helper()
	config := &corev1.ConfigMap{}
	if err := s.client.Get(s.t.Context(), client.ObjectKey{Namespace: s.ns, Name: name}, config); err != nil {
		s.must(client.IgnoreNotFound(err))
		return nil
	}
	return config.Data
}

// eventually waits until missing returns "", which else is what is still missing. It looks often at first and seldom later:
// looking takes time of the API server that it needs for what is awaited.
func (s *spoke) eventually(what string, missing func() string) {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	for pause := 5 * time.Millisecond; ; pause = min(pause*3/2, 50*time.Millisecond) {
		last := missing()
		if last == "" {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("waited %s until %s; last: %s", patience, what, last)
		}
		<-time.After(pause)
	}
}

func (s *spoke) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func pretty(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// webservice is the example that users start with.
func webservice(t testing.TB) definition.Definition {
	t.Helper()
	def, err := definition.FromDirectory(os.DirFS("../examples/quickstart/definitions/component"), "webservice")
	if err != nil {
		t.Fatal(err)
	}
	return def
}

func inline(name, source string) definition.Definition {
	return definition.Definition{Name: name, APIVersion: "v1", Files: map[string]string{"template.cue": source}}
}

// callLog counts the agent's writing API calls, events left out: they are made behind its back, and lost when there are too many.
type callLog struct {
	mutex sync.Mutex
	calls []string
	// cut is set where the agent is cut off after so many writes more.
	cut  bool
	left int
	// refuse, if any, tells the requests that fail without being made.
	refuse func(*http.Request) bool
}

// refuseSome lets the requests fail that some tells.
func (c *callLog) refuseSome(some func(*http.Request) bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.refuse = some
}

func (c *callLog) isRefused(request *http.Request) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.refuse != nil && c.refuse(request)
}

func (c *callLog) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		if isWrite(request) {
			c.mutex.Lock()
			c.calls = append(c.calls, request.Method+" "+request.URL.Path)
			c.mutex.Unlock()
		}
		if c.isCut() || c.isRefused(request) {
			return nil, errCut
		}
		response, err := next.RoundTrip(request)
		if err != nil || !isWrite(request) || !c.countDown() {
			return response, err
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		return nil, errCut
	})
}

func isWrite(request *http.Request) bool {
	ofEvents := strings.HasSuffix(request.URL.Path, "/events") || strings.Contains(request.URL.Path, "/events/")
	return request.Method != http.MethodGet && !ofEvents
}

// take gives the calls since the last take.
func (c *callLog) take() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	taken := c.calls
	c.calls = nil
	return taken
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
