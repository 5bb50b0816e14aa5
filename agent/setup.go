// Package agent is the spoke's half of Wheelwright: it renders the Components of its cluster, applies what they render, tracks
// it, and judges its health. It needs nothing of the hub but the Components.
package agent

import (
	"context"
	"fmt"
	"maps"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/background"
	"wheelwright.dev/wheelwright/agent/component"
	"wheelwright.dev/wheelwright/agent/helm"
	"wheelwright.dev/wheelwright/agent/identity"
	"wheelwright.dev/wheelwright/agent/notify"
	"wheelwright.dev/wheelwright/agent/owned"
	"wheelwright.dev/wheelwright/agent/tracker"
	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// How fast what failed is tried again: at once at first, since a CustomResourceDefinition that was just applied is served
// within milliseconds, and at last once a minute.
const (
	firstRetry = 20 * time.Millisecond
	lastRetry  = time.Minute
)

// defaultConcurrency is how many Components are worked on at once.
const defaultConcurrency = 8

// defaultOperations is how many Helm operations and notifications run at once, beside the passes over Components.
const defaultOperations = 4

// Options of the agent. Each has a default that serves.
type Options struct {
	// Concurrency is how many Components are worked on at once. Default 8.
	Concurrency int
	// HashKey keys the hashes by which a change of resolved properties is seen, so that they tell nothing of Secrets. Default:
	// one that is forgotten when the process ends; a source that changes while no agent runs then makes no event.
	HashKey []byte
	// Evaluation bounds what evaluating definitions may take. Default: that of package evaluate.
	Evaluation evaluate.Options
	// Clock tells how long a Component is on its way, and when steps of workflows are due. Default: the machine's.
	Clock clock.PassiveClock
	// Wrap goes around the reconciler of Components, for those who measure it. Default: nothing does.
	Wrap func(reconcile.Reconciler) reconcile.Reconciler
	// Helm and Notify are the options of the actions that ship with the agent.
	Helm   helm.Options
	Notify notify.Options
}

// NewScheme is a scheme with the kinds that the agent reads and writes by type.
func NewScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, batchv1.AddToScheme, corev1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("building the scheme: %w", err)
		}
	}
	return scheme, nil
}

// CacheOptions are those that the agent's manager should have: objects without what nobody reads.
func CacheOptions() cache.Options {
	return cache.Options{DefaultTransform: trim}
}

// ServeIfWorker evaluates for another process, where this one was started to do so, and ends it then. Otherwise it returns at
// once.
func ServeIfWorker() {
	evaluate.ServeIfWorker()
	workflow.ServeIfWorker()
}

// Setup adds the agent's controllers to mgr, whose scheme must have the kinds of NewScheme. The program must call
// ServeIfWorker first thing in main.
func Setup(ctx context.Context, mgr ctrl.Manager, options Options) error {
	if options.Concurrency <= 0 {
		options.Concurrency = defaultConcurrency
	}
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	objects, err := owned.New(mgr.GetConfig(), cache.Options{
		HTTPClient: mgr.GetHTTPClient(), Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper(),
	})
	if err != nil {
		return err
	}
	if err := mgr.Add(objects); err != nil {
		return fmt.Errorf("adding the watch over owned objects: %w", err)
	}
	cluster, err := clusterVersion(mgr)
	if err != nil {
		return err
	}
	evaluator := evaluate.New(options.Evaluation)
	if err := mgr.Add(evaluator); err != nil {
		return fmt.Errorf("adding the worker processes: %w", err)
	}
	workers := workflow.NewWorkers(options.Evaluation)
	if err := mgr.Add(workers); err != nil {
		return fmt.Errorf("adding the worker processes of workflows: %w", err)
	}
	operations := background.New(defaultOperations)
	if err := mgr.Add(operations); err != nil {
		return fmt.Errorf("adding the operations of workflow steps: %w", err)
	}
	actions := helm.New(operations, options.Helm).Actions()
	maps.Copy(actions, notify.New(operations, options.Notify).Actions())
	engine, err := workflow.New(workflow.Options{Evaluator: workers, Actions: actions, Clock: options.Clock})
	if err != nil {
		return err
	}
	accounts, err := identity.New(mgr.GetConfig(), mgr.GetScheme(), mgr.GetRESTMapper())
	if err != nil {
		return err
	}
	parts := component.Parts{
		Evaluator: evaluator,
		Cluster:   cluster,
		Trackers:  tracker.NewStore(mgr.GetClient()),
		Applier:   apply.NewApplier(mgr.GetClient(), mgr.GetAPIReader(), objects),
		Watcher:   objects,
		Changes:   objects.Source(),
		HashKey:   options.HashKey,
		Accounts:  accounts,
		Engine:    engine,

		Operations: operations, Clock: options.Clock, Wrap: options.Wrap,
	}
	return component.Setup(ctx, mgr, parts, controller.Options{
		MaxConcurrentReconciles: options.Concurrency,
		RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, lastRetry),
	})
}
