package helm_test

import (
	"io"
	"os"
	"testing"

	"github.com/go-logr/logr"
	"github.com/sirupsen/logrus"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/fleet/embedded"
	"wheelwright.dev/wheelwright/fleet/testplane"
)

// The one control plane of this package.
var (
	spokeConfig *rest.Config
	spokeClient client.Client
)

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	logrus.SetOutput(io.Discard) // the registry's
	os.Exit(testplane.Run(m, embedded.Options{Name: "spoke"}, func(plane *embedded.ControlPlane) (err error) {
		spokeConfig = plane.RESTConfig()
		spokeConfig.QPS = -1
		spokeClient, err = client.New(spokeConfig, client.Options{})
		return err
	}))
}
