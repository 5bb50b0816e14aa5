package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sync/errgroup"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/embedded"
	"wheelwright.dev/wheelwright/fleet/ocm/rbac"
)

// testGroup is the API group of the kinds in testdata that the agent may apply.
const testGroup = "conformance.wheelwright.dev"

// The control planes of all rows. The second hub is the one that agents move to; it also has the
// admission webhooks, which would keep some rows from making the works that they are about.
var (
	hub       *cluster
	secondHub *cluster
	spoke     *cluster
)

// cluster is a control plane and an administrator's client of it.
type cluster struct {
	*embedded.ControlPlane
	client.WithWatch
}

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("conformance: skipped, because it starts three control planes")
		return
	}
	if err := runAll(m); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var errFailed = errors.New("conformance: there are failures")

func runAll(m *testing.M) (err error) {
	// Rows mostly wait. Two at a time, as many as there are cores, would take ages.
	if err := flag.Set("test.parallel", "12"); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	if err := startClusters(ctx, dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopClusters(ctx)) }()
	stopAdmission, err := startAdmission(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopAdmission()) }()
	defer stopSharedAgents()
	if m.Run() != 0 {
		return errFailed
	}
	return nil
}

func startClusters(ctx context.Context, dir string) error {
	assets, err := build.ControlPlane(ctx, os.Stderr)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	start := func(name string, into **cluster, crds ...string) {
		group.Go(func() error {
			plane, err := embedded.Start(ctx, embedded.Options{
				Name: name, Dir: filepath.Join(dir, name), Assets: assets, NoScheduler: true, NoNodes: true,
			})
			if err != nil {
				return err
			}
			*into, err = connect(plane, crds)
			return err
		})
	}
	start("hub", &hub, assets.HubCRDs())
	start("second-hub", &secondHub, assets.HubCRDs())
	start("spoke", &spoke, assets.SpokeCRDs(), "testdata/kinds.yaml")
	if err := group.Wait(); err != nil {
		return errors.Join(err, stopClusters(context.WithoutCancel(ctx)))
	}
	return prepareSpoke(context.WithoutCancel(ctx))
}

// connect installs the CRDs and returns the control plane with a client.
func connect(plane *embedded.ControlPlane, crds []string) (*cluster, error) {
	config := plane.RESTConfig()
	if _, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{Paths: crds, ErrorIfPathMissing: true}); err != nil {
		return nil, fmt.Errorf("cannot install the CRDs of %s: %w", plane.Name(), err)
	}
	admin, err := newClient(config)
	return &cluster{ControlPlane: plane, WithWatch: admin}, err
}

func newClient(config *rest.Config) (client.WithWatch, error) {
	config.QPS, config.Burst = -1, -1
	return client.NewWithWatch(config, client.Options{Scheme: scheme()})
}

// prepareSpoke gives the agents their identity, and the right to apply the rows' kinds.
func prepareSpoke(ctx context.Context) error {
	if err := rbac.InstallSpoke(ctx, spoke.RESTConfig()); err != nil {
		return err
	}
	return spoke.Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "conformance", Labels: map[string]string{rbac.AggregateLabel: "true"}},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{testGroup}, Resources: []string{"*"}, Verbs: []string{"*"}}},
	})
}

func stopClusters(ctx context.Context) error {
	var errs []error
	for _, cluster := range []*cluster{hub, secondHub, spoke} {
		if cluster != nil {
			errs = append(errs, cluster.Stop(ctx))
		}
	}
	return errors.Join(errs...)
}
