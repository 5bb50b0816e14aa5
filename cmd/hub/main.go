// Command hub runs Wheelwright's controllers on an OCM hub.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"wheelwright.dev/wheelwright/hub"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

type flags struct {
	metricsAddress   string
	probeAddress     string
	leaderElect      bool
	qps              float64
	burst            int
	workers          int
	progressDeadline time.Duration
}

func main() {
	evaluate.ServeIfWorker()
	var f flags
	flag.StringVar(&f.metricsAddress, "metrics-bind-address", ":8080", "Address that serves Prometheus metrics; 0 turns them off.")
	flag.StringVar(&f.probeAddress, "health-probe-bind-address", ":8081", "Address that serves /healthz and /readyz.")
	flag.BoolVar(&f.leaderElect, "leader-elect", true, "Work only while holding the leader lease, so that replicas take turns.")
	flag.Float64Var(&f.qps, "kube-api-qps", 200, "Requests a second to the hub's API server, sustained.")
	flag.IntVar(&f.burst, "kube-api-burst", 400, "Requests to the hub's API server in a burst.")
	flag.IntVar(&f.workers, "workers", 8, "Applications reconciled at a time.")
	flag.DurationVar(&f.progressDeadline, "progress-deadline", 10*time.Minute, "How long applied content may be unhealthy before it counts as failed.")
	logging := zap.Options{}
	logging.BindFlags(flag.CommandLine)
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&logging)))
	if err := run(ctrl.SetupSignalHandler(), f); err != nil {
		fmt.Fprintln(os.Stderr, "hub:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, f flags) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the hub's API server: %w", err)
	}
	config.QPS, config.Burst = float32(f.qps), f.burst
	mgr, err := newManager(config, f)
	if err != nil {
		return err
	}
	if err := hub.Setup(ctx, mgr, hub.Options{Workers: f.workers, ProgressDeadline: f.progressDeadline}); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

func newManager(config *rest.Config, f flags) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	utilruntime.Must(hub.AddToScheme(scheme))
	kept, err := hub.CacheOptions()
	if err != nil {
		return nil, err
	}
	options := ctrl.Options{
		Scheme:                        scheme,
		Cache:                         cache.Options{ByObject: maps.Clone(kept), DefaultTransform: cache.TransformStripManagedFields()},
		Client:                        client.Options{},
		HealthProbeBindAddress:        f.probeAddress,
		LeaderElection:                f.leaderElect,
		LeaderElectionID:              "wheelwright-hub",
		LeaderElectionNamespace:       os.Getenv("POD_NAMESPACE"),
		LeaderElectionReleaseOnCancel: true,
	}
	options.Metrics.BindAddress = f.metricsAddress
	mgr, err := ctrl.NewManager(config, options)
	if err != nil {
		return nil, fmt.Errorf("starting the manager: %w", err)
	}
	return mgr, nil
}
