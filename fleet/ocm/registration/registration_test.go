package registration_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	clusterclient "open-cluster-management.io/api/client/cluster/clientset/versioned"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/embedded"
	"wheelwright.dev/wheelwright/fleet/ocm/registration"
)

// A cluster's life on one control plane that is the hub and the cluster at once.
func TestRegistration(t *testing.T) {
	plane := startPlane(t)
	clients, err := clusterclient.NewForConfig(plane.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	hub := &hub{T: t, Interface: clients}
	run(t, newHub(t, plane))

	cluster := registration.Cluster{Name: "spoke", Labels: map[string]string{"region": "eu"}, LeaseDuration: time.Second}
	must(t, registration.Join(t.Context(), plane.RESTConfig(), cluster))
	hub.await("accepted, though nobody has seen it", func(c *clusterv1.ManagedCluster) error {
		return errors.Join(
			is(c, clusterv1.ManagedClusterConditionHubAccepted, metav1.ConditionTrue),
			equal("clusterset", c.Labels["cluster.open-cluster-management.io/clusterset"], "default"),
			equal("region", c.Labels["region"], "eu"),
			equal("taints", fmt.Sprint(len(c.Spec.Taints)), "1"))
	})
	for _, name := range []string{"default", "global"} {
		hub.awaitSet(name)
		must(t, clients.ClusterV1beta2().ManagedClusterSets().Delete(t.Context(), name, metav1.DeleteOptions{}))
		hub.awaitSet(name)
	}

	stop := run(t, newAgent(t, plane))
	must(t, registration.AwaitAvailable(t.Context(), plane.RESTConfig(), "spoke"))
	claim := &clusterv1alpha1.ClusterClaim{ObjectMeta: metav1.ObjectMeta{Name: "pools"}, Spec: clusterv1alpha1.ClusterClaimSpec{Value: "a,b"}}
	_, err = clients.ClusterV1alpha1().ClusterClaims().Create(t.Context(), claim, metav1.CreateOptions{})
	must(t, err)
	hub.await("available and described", func(c *clusterv1.ManagedCluster) error {
		return errors.Join(
			is(c, clusterv1.ManagedClusterConditionJoined, metav1.ConditionTrue),
			is(c, clusterv1.ManagedClusterConditionAvailable, metav1.ConditionTrue),
			equal("version", c.Status.Version.Kubernetes[:3], "v1."),
			equal("claims", fmt.Sprint(c.Status.ClusterClaims), "[{pools a,b}]"),
			equal("taints", fmt.Sprint(c.Spec.Taints), "[]"))
	})

	stop()
	hub.await("unknown without renewals", func(c *clusterv1.ManagedCluster) error {
		return errors.Join(
			is(c, clusterv1.ManagedClusterConditionAvailable, metav1.ConditionUnknown),
			equal("taints", fmt.Sprint(len(c.Spec.Taints)), "1"))
	})
	run(t, newAgent(t, plane))
	must(t, registration.AwaitAvailable(t.Context(), plane.RESTConfig(), "spoke"))
}

func startPlane(t *testing.T) *embedded.ControlPlane {
	t.Helper()
	assets, err := build.ControlPlane(t.Context(), os.Stderr)
	must(t, err)
	plane, err := embedded.Start(t.Context(), embedded.Options{
		Name: "registration", Dir: t.TempDir(), Assets: assets, NoScheduler: true, NoNodes: true,
	})
	must(t, err)
	t.Cleanup(func() { must(t, plane.Stop(context.Background())) })
	_, err = envtest.InstallCRDs(plane.RESTConfig(), envtest.CRDInstallOptions{Paths: []string{assets.HubCRDs(), assets.SpokeCRDs()}})
	must(t, err)
	return plane
}

type runner interface {
	Run(ctx context.Context) error
}

func newHub(t *testing.T, plane *embedded.ControlPlane) runner {
	t.Helper()
	hub, err := registration.NewHub(plane.RESTConfig())
	must(t, err)
	return hub
}

func newAgent(t *testing.T, plane *embedded.ControlPlane) runner {
	t.Helper()
	agent, err := registration.NewAgent(registration.AgentOptions{
		HubConfig: plane.RESTConfig(), SpokeConfig: plane.RESTConfig(), ClusterName: "spoke", CheckInterval: time.Second,
	})
	must(t, err)
	return agent
}

// run runs until the test ends, or until the returned function is called.
func run(t *testing.T, runner runner) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var group errgroup.Group
	group.Go(func() error { return runner.Run(ctx) })
	stop = func() {
		cancel()
		must(t, group.Wait())
	}
	t.Cleanup(stop)
	return stop
}

// hub waits for what is to be seen on the hub.
type hub struct {
	*testing.T
	clusterclient.Interface
}

func (h *hub) poll(what string, check func(ctx context.Context) error) {
	h.Helper()
	var last error
	err := wait.PollUntilContextTimeout(h.Context(), 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		h.Fatalf("%s: %v", what, last)
	}
}

func (h *hub) await(what string, check func(*clusterv1.ManagedCluster) error) {
	h.Helper()
	h.poll(what, func(ctx context.Context) error {
		cluster, err := h.ClusterV1().ManagedClusters().Get(ctx, "spoke", metav1.GetOptions{})
		if err != nil {
			return err
		}
		return check(cluster)
	})
}

func (h *hub) awaitSet(name string) {
	h.Helper()
	h.poll("cluster set "+name, func(ctx context.Context) error {
		_, err := h.ClusterV1beta2().ManagedClusterSets().Get(ctx, name, metav1.GetOptions{})
		return err
	})
}

func is(cluster *clusterv1.ManagedCluster, kind string, want metav1.ConditionStatus) error {
	if !meta.IsStatusConditionPresentAndEqual(cluster.Status.Conditions, kind, want) {
		return fmt.Errorf("condition %s is not %s: %+v", kind, want, cluster.Status.Conditions)
	}
	return nil
}

func equal(what, got, want string) error {
	if got != want {
		return fmt.Errorf("%s %q, want %q", what, got, want)
	}
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
