package agent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"wheelwright.dev/wheelwright/agent"
	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/embedded"
)

// spokeConfig reaches the control plane that all tests of this package share. Each test has a namespace and an agent of its
// own, one after the other.
var spokeConfig *rest.Config

func TestMain(m *testing.M) {
	agent.ServeIfWorker()
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
	dir, err := os.MkdirTemp("", "agent-test-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	spoke, err := embedded.Start(ctx, embedded.Options{Name: "spoke", Dir: filepath.Join(dir, "spoke"), Assets: assets})
	if err != nil {
		return 1, err
	}
	defer func() { _ = spoke.Stop(ctx) }()
	spokeConfig = spoke.RESTConfig()
	if _, err := envtest.InstallCRDs(spokeConfig, envtest.CRDInstallOptions{Paths: []string{"../manifests/crds"}}); err != nil {
		return 1, err
	}
	return m.Run(), nil
}
