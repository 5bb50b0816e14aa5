// Command agent is the spoke's agent: it renders, applies, tracks and judges the Components of its cluster.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"wheelwright.dev/wheelwright/agent"
	"wheelwright.dev/wheelwright/agent/leader"
)

// leaseName names the lease of the one agent of a cluster that works.
const leaseName = "wheelwright-agent"

// Others take over when the lease was not renewed for leaseDuration. An agent gives up before, after renewDeadline.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
)

type flags struct {
	probes      string
	metrics     string
	leaderElect bool
	concurrency int
	qps         float64
	burst       int
	logging     zap.Options
}

// gcPercent lets garbage be half of what is in use: the agent holds its cluster's objects for as long as it lives, and makes little
// garbage beside them.
const gcPercent = 50

func main() {
	agent.ServeIfWorker()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if err := run(ctrl.SetupSignalHandler(), os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	given, err := parse(args)
	if err != nil {
		return err
	}
	logger := zap.New(zap.UseFlagOptions(&given.logging))
	ctrl.SetLogger(logger)
	mgr, err := newManager(given, logger)
	if err != nil {
		return err
	}
	// The manager's own client reads from a cache that is not started yet, and that no Secret should be in.
	spokeClient, err := client.New(mgr.GetConfig(), client.Options{
		HTTPClient: mgr.GetHTTPClient(), Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper(),
	})
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	key, err := hashKey(ctx, spokeClient, os.Getenv("POD_NAMESPACE"))
	if err != nil {
		return err
	}
	if err := agent.Setup(ctx, mgr, agent.Options{Concurrency: given.concurrency, HashKey: key}); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

func parse(args []string) (flags, error) {
	var given flags
	set := flag.NewFlagSet("agent", flag.ContinueOnError)
	set.StringVar(&given.probes, "health-probe-bind-address", ":8081", "Address that serves /healthz and /readyz; 0 serves neither.")
	set.StringVar(&given.metrics, "metrics-bind-address", "0", "Address that serves metrics; 0 serves none.")
	set.BoolVar(&given.leaderElect, "leader-elect", false, "Work only while holding the lease "+leaseName+" in the namespace POD_NAMESPACE.")
	set.IntVar(&given.concurrency, "concurrency", 8, "How many Components are worked on at once.")
	set.Float64Var(&given.qps, "kube-api-qps", 500, "API calls a second, on average.")
	set.IntVar(&given.burst, "kube-api-burst", 1000, "API calls at once.")
	given.logging.BindFlags(set)
	config.RegisterFlags(set)
	if err := set.Parse(args); err != nil {
		return given, err
	}
	if set.NArg() > 0 {
		return given, fmt.Errorf("unexpected argument %q: the agent takes flags only, see --help", set.Arg(0))
	}
	return given, nil
}

func newManager(given flags, logger logr.Logger) (manager.Manager, error) {
	kubeconfig, err := ctrl.GetConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w", err)
	}
	kubeconfig.QPS, kubeconfig.Burst = float32(given.qps), given.burst
	scheme, err := agent.NewScheme()
	if err != nil {
		return nil, err
	}
	namespace := os.Getenv("POD_NAMESPACE")
	if given.leaderElect && namespace == "" {
		return nil, errors.New("--leader-elect needs the environment variable POD_NAMESPACE, the namespace of the lease")
	}
	if given.leaderElect {
		kubeconfig.Wrap(leader.NewGuard(leaseName, renewDeadline).Wrap)
	}
	lease, renew := leaseDuration, renewDeadline
	mgr, err := ctrl.NewManager(kubeconfig, ctrl.Options{
		Scheme:                        scheme,
		Cache:                         agent.CacheOptions(),
		Logger:                        logger,
		HealthProbeBindAddress:        given.probes,
		Metrics:                       metricsserver.Options{BindAddress: given.metrics},
		LeaderElection:                given.leaderElect,
		LeaderElectionID:              leaseName,
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &lease,
		RenewDeadline:                 &renew,
	})
	if err != nil {
		return nil, fmt.Errorf("making the manager: %w", err)
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, fmt.Errorf("adding /healthz: %w", err)
	}
	if err := mgr.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return nil, fmt.Errorf("adding /readyz: %w", err)
	}
	return mgr, nil
}
