package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"wheelwright.dev/wheelwright/agent"
	"wheelwright.dev/wheelwright/cli/live"
	"wheelwright.dev/wheelwright/cli/offline"
	"wheelwright.dev/wheelwright/fleet/embedded"
	"wheelwright.dev/wheelwright/fleet/testplane"
)

// clusterConfig reaches the control plane that all tests of this package share. Each test has a namespace of its own.
var clusterConfig *rest.Config

func TestMain(m *testing.M) {
	offline.ServeIfWorker()
	agent.ServeIfWorker()
	ctrl.SetLogger(logr.Discard())
	os.Exit(testplane.Run(m, embedded.Options{Name: "spoke"}, func(plane *embedded.ControlPlane) error {
		clusterConfig = plane.RESTConfig()
		return os.Setenv("KUBECONFIG", plane.Kubeconfig())
	}, "../../manifests/crds"))
}

// patience is how long a test waits for what it knows must come.
const patience = 30 * time.Second

// world is one test's view of the cluster: a namespace, and a client.
type world struct {
	t         *testing.T
	client    client.WithWatch
	namespace string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	connected, err := live.Connect(clusterConfig)
	if err != nil {
		t.Fatal(err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	w := &world{t: t, client: connected}
	w.create(namespace)
	w.namespace = namespace.Name
	w.grant()
	return w
}

// grant lets Components that are applied by hand do everything in the test's namespace.
func (w *world) grant() {
	w.t.Helper()
	admin, err := kubernetes.NewForConfig(clusterConfig)
	if err != nil {
		w.t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "default"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.namespace, Name: "default"}},
	}
	if _, err := admin.RbacV1().RoleBindings(w.namespace).Create(w.t.Context(), binding, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) create(object client.Object) {
	w.t.Helper()
	if err := w.client.Create(w.t.Context(), object); err != nil {
		w.t.Fatalf("creating %T %s: %v", object, object.GetName(), err)
	}
}

func (w *world) writeStatus(object client.Object) {
	w.t.Helper()
	if err := w.client.Status().Update(w.t.Context(), object); err != nil {
		w.t.Fatalf("writing the status of %T %s: %v", object, object.GetName(), err)
	}
}

func (w *world) patch(object client.Object, patch string) {
	w.t.Helper()
	if err := w.client.Patch(w.t.Context(), object, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		w.t.Fatalf("changing %T %s: %v", object, object.GetName(), err)
	}
}

func (w *world) clientset() kubernetes.Interface {
	w.t.Helper()
	made, err := kubernetes.NewForConfig(clusterConfig)
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// lockedBuffer is written to by a command that runs while the test reads.
type lockedBuffer struct {
	mutex  sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(content []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.Write(content)
}

func (b *lockedBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.String()
}

// missing is text where it lacks one of the parts, and else "".
func missing(text string, parts ...string) string {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return fmt.Sprintf("%q is not in %s", part, text)
		}
	}
	return ""
}

// wheel runs a command as people do, in the test's namespace, and gives back what it printed and its exit code.
func (w *world) wheel(command *cobra.Command, args ...string) (string, int) {
	w.t.Helper()
	var out, errOut bytes.Buffer
	command.SetOut(&out)
	command.SetErr(&errOut)
	command.SilenceUsage, command.SilenceErrors = true, true
	command.SetArgs(append(args, "-n", w.namespace))
	code := 0
	if err := command.ExecuteContext(w.t.Context()); err != nil {
		code = 1
		if own := (*exitError)(nil); errors.As(err, &own) {
			code = own.code
		}
		out.WriteString(err.Error())
	}
	if strings.ContainsAny(out.String()+errOut.String(), "\x1b\x07\u009b\u202e") {
		w.t.Errorf("what a terminal acts upon is in the output: %q", out.String())
	}
	return out.String(), code
}

// eventually waits until missing returns "", which else is what is still missing.
func (w *world) eventually(what string, missing func() string) {
	w.t.Helper()
	deadline := time.Now().Add(patience)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		last := missing()
		if last == "" {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("waited %s until %s; last: %s", patience, what, last)
		}
		<-ticker.C
	}
}

// in is the same for a part of the test.
func (w *world) in(t *testing.T) *world {
	return &world{t: t, client: w.client, namespace: w.namespace}
}

// shows waits until the output of a command has all of the parts, whatever the widths of columns, and gives it back.
func (w *world) shows(command func() *cobra.Command, args []string, parts ...string) string {
	w.t.Helper()
	var out string
	w.eventually(fmt.Sprintf("%q is shown", parts), func() string {
		out, _ = w.wheel(command(), args...)
		return missing(strings.Join(strings.Fields(out), " "), parts...)
	})
	w.t.Logf("%s %s\n%s", command().Name(), strings.Join(args, " "), out)
	return out
}

// startAgent runs the agent until the end of the test.
func (w *world) startAgent() {
	w.t.Helper()
	scheme, err := agent.NewScheme()
	if err != nil {
		w.t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(clusterConfig, ctrl.Options{
		Scheme: scheme, Cache: agent.CacheOptions(), Metrics: metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := agent.Setup(ctx, mgr, agent.Options{HashKey: []byte("a key of tests")}); err != nil {
		w.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			w.t.Errorf("the agent ended: %v", err)
		}
	})
}
