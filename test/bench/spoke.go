package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/fleet/embedded"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

const (
	// many Components are on the spoke, each of a Deployment, a Service and a ConfigMap.
	many = 3000
	// concurrency is the agent's, and so the floor's.
	concurrency = 8
	// manyTimeout bounds each wait for all of them.
	manyTimeout = 15 * time.Minute
)

// manyOnSpoke measures the agent with 3,000 Components that were applied by hand: how long until all are healthy, what it has in
// memory then, what a restart writes, and what a reconcile takes that has nothing to do.
func (b *bench) manyOnSpoke(ctx context.Context) ([]record, error) {
	floor, err := b.bareApply(ctx)
	if err != nil {
		return nil, fmt.Errorf("the floor: %w", err)
	}
	if err := b.prepareMany(ctx); err != nil {
		return nil, err
	}
	idle, err := b.residentAgent()
	if err != nil {
		return nil, err
	}
	took, err := b.applyMany(ctx)
	if err != nil {
		return nil, err
	}
	full, err := b.residentAgent()
	if err != nil {
		return nil, err
	}
	restarted, err := b.restartWrites(ctx)
	if err != nil {
		return nil, err
	}
	found := []record{
		newRecord("apply-3000", "s", took.Seconds(), floor.Seconds(), "at most 2 times bare server-side apply of the same objects"),
		newRecord("agent-memory-3000", "MiB", full, idle, "at most 300 MiB; the floor is the same process idle"),
		restarted,
	}
	noop, err := b.noopReconcile(ctx)
	return append(found, noop...), err
}

// prepareMany gives the Components a namespace, a definition, and an account that may make what they render.
func (b *bench) prepareMany(ctx context.Context) error {
	definition, err := quickstartDefinition()
	if err != nil {
		return err
	}
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: manyNamespace}},
		&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: manyNamespace, Name: "default"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "admin"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: manyNamespace, Name: "default"}},
		},
		definition,
	} {
		if err := b.spokeClient.Create(ctx, object); err != nil {
			return fmt.Errorf("creating %s: %w", object.GetName(), err)
		}
	}
	return nil
}

func (b *bench) residentAgent() (float64, error) {
	return residentOf(b.fleet.Pods(b.spoke).Pods()[0].Pid)
}

// inParallel does something for each number below many.
func inParallel(ctx context.Context, do func(ctx context.Context, n int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	for n := range many {
		group.Go(func() error { return do(ctx, n) })
	}
	return group.Wait()
}

// bareApply applies what the Components render, without Components, on a cluster of its own that has no agent, and waits until all
// Deployments are available.
func (b *bench) bareApply(ctx context.Context) (took time.Duration, err error) {
	dir, err := os.MkdirTemp("", "wheelwright-bench-")
	if err != nil {
		return 0, err
	}
	bare, err := embedded.Start(ctx, embedded.Options{Name: "floor", Dir: dir, Assets: b.assets})
	if err != nil {
		return 0, fmt.Errorf("%w; logs are in %s", err, dir)
	}
	defer func() {
		err = errors.Join(err, bare.Stop(context.WithoutCancel(ctx)))
		if err == nil {
			err = os.RemoveAll(dir)
		}
	}()
	bareClient, err := client.NewWithWatch(quick(bare.RESTConfig()), client.Options{Scheme: b.spokeClient.Scheme()})
	if err != nil {
		return 0, err
	}
	if err := bareClient.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: floorNamespace}}); err != nil {
		return 0, err
	}
	available := map[string]bool{}
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return inParallel(ctx, func(ctx context.Context, n int) error {
			for _, object := range bareObjects(n) {
				if err := bareClient.Patch(ctx, object, client.Apply, client.FieldOwner("floor"), client.ForceOwnership); err != nil {
					return err
				}
			}
			return nil
		})
	})
	group.Go(func() error {
		return awaitAll(ctx, bareClient, &appsv1.DeploymentList{}, floorNamespace, func(event watch.Event) bool {
			deployment, ok := event.Object.(*appsv1.Deployment)
			if ok && deployment.Status.AvailableReplicas == 1 && deployment.Status.ObservedGeneration == deployment.Generation {
				available[deployment.Name] = true
			}
			return len(available) == many
		})
	})
	err = group.Wait()
	return time.Since(began), err
}

// applyMany creates the Components and waits until the agent has said of all that they are healthy.
func (b *bench) applyMany(ctx context.Context) (time.Duration, error) {
	healthy := map[string]bool{}
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return inParallel(ctx, func(ctx context.Context, n int) error { return b.spokeClient.Create(ctx, oneOfMany(n)) })
	})
	group.Go(func() error {
		return awaitAll(ctx, b.spokeClient, &corev1alpha1.ComponentList{}, manyNamespace, func(event watch.Event) bool {
			component, ok := event.Object.(*corev1alpha1.Component)
			if ok && meta.IsStatusConditionTrue(component.Status.Conditions, condition.Ready) {
				healthy[component.Name] = true
			}
			return len(healthy) == many
		})
	})
	err := group.Wait()
	return time.Since(began), err
}

// awaitAll watches a list until done says that the last event was what is waited for. A watch that the API server ends is begun
// anew from its start.
func awaitAll(ctx context.Context, cluster client.WithWatch, list client.ObjectList, in string, done func(watch.Event) bool) error {
	ctx, cancel := context.WithTimeout(ctx, manyTimeout)
	defer cancel()
	for {
		events, err := cluster.Watch(ctx, list, client.InNamespace(in))
		if err != nil {
			return err
		}
		for event := range events.ResultChan() {
			if done(event) {
				events.Stop()
				return nil
			}
		}
		events.Stop()
		if ctx.Err() != nil {
			return fmt.Errorf("waiting for %T in %s: %w", list, in, ctx.Err())
		}
	}
}
