package workflow_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/workflow"
	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/embedded"
)

// spokeClient reaches the one control plane of this package, on which kwok completes Jobs.
var spokeClient client.Client

func TestMain(m *testing.M) {
	workflow.ServeIfWorker()
	ctrl.SetLogger(logr.Discard())
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func runTests(m *testing.M) (int, error) {
	ctx := context.Background()
	assets, err := build.ControlPlane(ctx, os.Stderr)
	if err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "workflow-test-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	spoke, err := embedded.Start(ctx, embedded.Options{Name: "spoke", Dir: filepath.Join(dir, "spoke"), Assets: assets})
	if err != nil {
		return 1, err
	}
	defer func() { _ = spoke.Stop(ctx) }()
	if spokeClient, err = client.New(spoke.RESTConfig(), client.Options{}); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// newNamespace makes a namespace of the test's own.
func newNamespace(t *testing.T) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := spokeClient.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	return namespace.Name
}
