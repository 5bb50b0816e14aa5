package agent_test

import (
	"os"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	"wheelwright.dev/wheelwright/agent"
	"wheelwright.dev/wheelwright/fleet/embedded"
	"wheelwright.dev/wheelwright/fleet/testplane"
)

// spokeConfig reaches the control plane that all tests of this package share. Each test has a namespace and an agent of its
// own, one after the other.
var spokeConfig *rest.Config

func TestMain(m *testing.M) {
	agent.ServeIfWorker()
	ctrl.SetLogger(logr.Discard())
	os.Exit(testplane.Run(m, embedded.Options{Name: "spoke"}, func(plane *embedded.ControlPlane) error {
		spokeConfig = plane.RESTConfig()
		return nil
	}, "../manifests/crds"))
}
