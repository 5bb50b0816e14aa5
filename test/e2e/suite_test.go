// Package e2e proves Wheelwright on a whole fleet: a hub and two spokes, with its own pods running as they are delivered.
//
// FLEET chooses the fleet (embedded is the default and, so far, the only one) and FEEDBACK how OCM's work agents report:
// watch, or poll as older releases do.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"
	workv1 "open-cluster-management.io/api/work/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/go-logr/logr"

	"wheelwright.dev/wheelwright/fleet"
	"wheelwright.dev/wheelwright/fleet/build"
	"wheelwright.dev/wheelwright/fleet/ocm/work"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/invariant"
)

// suite is what the tests share: one fleet, started once.
type suite struct {
	fleet        *fleet.Embedded
	binaries     string
	hubClient    client.WithWatch
	spokeClients map[string]client.WithWatch
}

var shared suite

// pollInterval is short, so that a suite which polls takes no longer than it has to.
const pollInterval = 500 * time.Millisecond

func TestMain(m *testing.M) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctrl.SetLogger(logr.Discard())
	code, err := run(ctx, m)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(ctx context.Context, m *testing.M) (code int, err error) {
	options, err := fleetOptions()
	if err != nil {
		return 1, err
	}
	assets, err := build.ControlPlane(ctx, os.Stderr)
	if err != nil {
		return 1, err
	}
	binaries, err := build.Wheelwright(ctx, os.Stderr)
	if err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "wheelwright-e2e-")
	if err != nil {
		return 1, err
	}
	options.Dir = dir
	running, err := fleet.Up(ctx, assets, binaries, options)
	if err != nil {
		return 1, fmt.Errorf("%w; logs are in %s", err, dir)
	}
	shared, err = newSuite(running, binaries)
	if err == nil {
		code, err = runChecked(ctx, m)
	}
	ended := running.Err()
	stopped := running.Stop(context.WithoutCancel(ctx))
	for _, err := range []error{err, ended, stopped} {
		if err != nil {
			return 1, fmt.Errorf("%w; logs are in %s", err, dir)
		}
	}
	if code != 0 {
		return code, fmt.Errorf("logs are in %s", dir)
	}
	return code, os.RemoveAll(dir)
}

// runChecked runs the tests, and checks every status that agents write meanwhile.
func runChecked(ctx context.Context, m *testing.M) (int, error) {
	var checks []func() error
	for _, spokeClient := range shared.spokeClients {
		checks = append(checks, invariant.Watch(ctx, spokeClient))
	}
	code := m.Run()
	var broken []error
	for _, check := range checks {
		broken = append(broken, check())
	}
	return code, errors.Join(broken...)
}

func fleetOptions() (fleet.Options, error) {
	options := fleet.Options{Spokes: fleet.DefaultSpokes(), PollInterval: pollInterval}
	if kind := os.Getenv("FLEET"); kind != "" && kind != "embedded" {
		return options, fmt.Errorf("FLEET=%s is not known: use embedded", kind)
	}
	switch feedback := os.Getenv("FEEDBACK"); feedback {
	case "", "watch":
	case "poll":
		options.Feedback = work.PollOnly
	default:
		return options, fmt.Errorf("FEEDBACK=%s is not known: use watch or poll", feedback)
	}
	return options, nil
}

func newSuite(running *fleet.Embedded, binaries string) (suite, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, corev1alpha1.AddToScheme,
		workv1.Install, clusterv1.Install, clusterv1beta2.Install,
	} {
		if err := add(scheme); err != nil {
			return suite{}, err
		}
	}
	s := suite{fleet: running, binaries: binaries, spokeClients: map[string]client.WithWatch{}}
	var err error
	if s.hubClient, err = client.NewWithWatch(running.Hub().Config, client.Options{Scheme: scheme}); err != nil {
		return s, err
	}
	for _, spoke := range running.Spokes() {
		if s.spokeClients[spoke.Name], err = client.NewWithWatch(spoke.Config, client.Options{Scheme: scheme}); err != nil {
			return s, err
		}
	}
	return s, nil
}
