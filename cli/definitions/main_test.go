package definitions

import (
	"os"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	"wheelwright.dev/wheelwright/cli/offline"
	"wheelwright.dev/wheelwright/fleet/embedded"
	"wheelwright.dev/wheelwright/fleet/testplane"
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
	options := embedded.Options{Name: "hub", NoScheduler: true, NoNodes: true}
	code := testplane.Run(m, options, func(plane *embedded.ControlPlane) error {
		clusterConfig = plane.RESTConfig()
		return nil
	}, "../../manifests/crds")
	bench.Close()
	os.Exit(code)
}
