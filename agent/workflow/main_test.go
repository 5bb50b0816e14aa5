package workflow_test

import (
	"os"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/workflow"
	"wheelwright.dev/wheelwright/fleet/embedded"
	"wheelwright.dev/wheelwright/fleet/testplane"
)

// spokeClient reaches the one control plane of this package, on which kwok completes Jobs.
var spokeClient client.Client

func TestMain(m *testing.M) {
	workflow.ServeIfWorker()
	ctrl.SetLogger(logr.Discard())
	os.Exit(testplane.Run(m, embedded.Options{Name: "spoke"}, func(plane *embedded.ControlPlane) (err error) {
		spokeClient, err = client.New(plane.RESTConfig(), client.Options{})
		return err
	}))
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
