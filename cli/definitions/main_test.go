package definitions

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

	"wheelwright.dev/wheelwright/cli/offline"
	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/embedded"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// clusterConfig reaches the control plane that all tests of this package share. Each test has names of its own.
var clusterConfig *rest.Config

// bench serves all tests of the package.
var bench *offline.Workbench

func TestMain(m *testing.M) {
	offline.ServeIfWorker()
	bench = offline.NewWorkbench(evaluate.Options{})
	ctrl.SetLogger(logr.Discard())
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	bench.Close()
	os.Exit(code)
}

func runTests(m *testing.M) (int, error) {
	ctx := context.Background()
	assets, err := build.ControlPlane(ctx, os.Stderr)
	if err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "definitions-test-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	cluster, err := embedded.Start(ctx, embedded.Options{Name: "hub", Dir: filepath.Join(dir, "hub"), Assets: assets})
	if err != nil {
		return 1, err
	}
	defer func() { _ = cluster.Stop(ctx) }()
	clusterConfig = cluster.RESTConfig()
	if _, err := envtest.InstallCRDs(clusterConfig, envtest.CRDInstallOptions{Paths: []string{"../../manifests/crds"}}); err != nil {
		return 1, err
	}
	return m.Run(), nil
}
