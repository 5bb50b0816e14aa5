package testplane

import (
	"errors"
	"os"
	"testing"

	"k8s.io/client-go/discovery"

	"wheelwright.dev/wheelwright/fleet/embedded"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

func TestTheControlPlaneHasTheCRDsAndLeavesNothingBehind(t *testing.T) {
	var seen *embedded.ControlPlane
	failure := errors.New("what comes next fails")
	options := embedded.Options{Name: "test", NoScheduler: true, NoNodes: true}
	err := with(t.Context(), options, []string{"../../manifests/crds"}, func(plane *embedded.ControlPlane) error {
		seen = plane
		client, err := discovery.NewDiscoveryClientForConfig(plane.RESTConfig())
		if err != nil {
			return err
		}
		if _, err := client.ServerResourcesForGroupVersion(corev1alpha1.GroupVersion.String()); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Fatalf("it gives %v, want %v", err, failure)
	}
	if left := seen.Pids(); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if _, err := os.Stat(seen.Dir()); !os.IsNotExist(err) {
		t.Errorf("its files are left: %v", err)
	}
}
