package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"wheelwright.dev/wheelwright/agent"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// noopPasses is how many Components are measured, one after the other.
const noopPasses = 1000

// noopReconcile measures, in an agent within this process, what a reconcile takes of a Component in which nothing has changed, and
// the API calls that it makes. The floor reads from the cache what has to be looked at in any case: the Component and its tracker.
func (b *bench) noopReconcile(ctx context.Context) ([]record, error) {
	resume, err := b.pauseAgent(ctx)
	if err != nil {
		return nil, err
	}
	found, err := b.measureNoop(ctx)
	return found, errors.Join(err, resume())
}

func (b *bench) pauseAgent(ctx context.Context) (resume func() error, err error) {
	pods := b.fleet.Pods(b.spoke)
	if err := pods.Pause(ctx); err != nil {
		return nil, err
	}
	return func() error {
		pods.Resume()
		return pods.AwaitReady(ctx)
	}, nil
}

func (b *bench) measureNoop(ctx context.Context) (found []record, err error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	inProcess, err := b.startAgent(ctx, ended)
	defer func() {
		cancel()
		err = errors.Join(err, <-ended)
	}()
	if err != nil {
		ended <- nil
		return nil, err
	}
	if err := inProcess.awaitRest(ctx); err != nil {
		return nil, err
	}
	calls := inProcess.calls.Load()
	var took, floor []time.Duration
	for n := range noopPasses {
		key := types.NamespacedName{Namespace: manyNamespace, Name: nameOf(n)}
		began := time.Now()
		if _, err := inProcess.reconciler.Reconcile(ctx, reconcile.Request{NamespacedName: key}); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		began = time.Now()
		if err := inProcess.read(ctx, key); err != nil {
			return nil, err
		}
		floor = append(floor, time.Since(began))
	}
	made := float64(inProcess.calls.Load() - calls)
	return []record{
		newRecord("noop-reconcile", "µs", 1000*percentile(took, 50), 1000*percentile(floor, 50), "at most 200 µs; the floor reads Component and tracker from the cache"),
		newRecord("noop-reconcile-p99", "µs", 1000*percentile(took, 99), 1000*percentile(floor, 99), "reported"),
		newRecord("noop-reconcile-calls", "calls", made, 0, "none, of 1,000 reconciles"),
	}, nil
}

// inProcess is an agent within this process.
type inProcess struct {
	cache      client.Client
	reconciler reconcile.Reconciler
	// calls and passes are how many API calls and reconciles it has made.
	calls, passes atomic.Int64
}

func (b *bench) startAgent(ctx context.Context, ended chan<- error) (*inProcess, error) {
	made := &inProcess{}
	config := rest.CopyConfig(b.fleet.Spokes()[0].Config)
	config.QPS, config.Burst = 500, 1000
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			made.calls.Add(1)
			return next.RoundTrip(request)
		})
	})
	scheme, err := agent.NewScheme()
	if err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Cache: agent.CacheOptions(), Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return nil, fmt.Errorf("making the manager: %w", err)
	}
	made.cache = mgr.GetClient()
	err = agent.Setup(ctx, mgr, agent.Options{Wrap: func(inner reconcile.Reconciler) reconcile.Reconciler {
		made.reconciler = inner
		return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			defer made.passes.Add(1)
			return inner.Reconcile(ctx, request)
		})
	}})
	if err != nil {
		return nil, err
	}
	go func() { ended <- mgr.Start(ctx) }()
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		return made, errors.New("the agent's cache does not sync")
	}
	return made, nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// awaitRest waits until every Component was looked at, and then until no reconcile was made for three seconds.
func (p *inProcess) awaitRest(ctx context.Context) error {
	const still, step = 3 * time.Second, 500 * time.Millisecond
	ticker := time.NewTicker(step)
	defer ticker.Stop()
	last, rested := int64(0), time.Duration(0)
	for rested < still {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the agent to come to rest: %w", ctx.Err())
		}
		now := p.passes.Load()
		if now >= many && now == last {
			rested += step
		} else {
			rested = 0
		}
		last = now
	}
	return nil
}

func (p *inProcess) read(ctx context.Context, key types.NamespacedName) error {
	return errors.Join(
		p.cache.Get(ctx, key, &corev1alpha1.Component{}),
		p.cache.Get(ctx, types.NamespacedName{Name: key.Namespace + "." + key.Name}, &corev1alpha1.ResourceTracker{}),
	)
}
