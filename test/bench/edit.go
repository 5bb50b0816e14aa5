package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

const (
	warmUp = 10
	edits  = 100
)

// editToHealthy measures the time from an edit of an Application, of a value that only reaches a ConfigMap, to the hub's
// reading of Healthy at that revision. The floor is the same way on foot.
func (b *bench) editToHealthy(ctx context.Context) ([]record, error) {
	app := b.newApplication("edited", 1)
	if err := b.hubClient.Create(ctx, app); err != nil {
		return nil, err
	}
	if err := b.awaitReady(ctx, app, time.Minute); err != nil {
		return nil, err
	}
	took, err := b.edits(ctx, app)
	if err != nil {
		return nil, err
	}
	floor, err := b.floor(ctx, app)
	if err != nil {
		return nil, fmt.Errorf("the floor: %w", err)
	}
	if err := b.remove(ctx, app); err != nil {
		return nil, err
	}
	const goal = "p50 at most 2.5 times the floor"
	return []record{
		newRecord("edit-to-healthy", "ms", percentile(took, 50), percentile(floor, 50), goal),
		newRecord("edit-to-healthy-p99", "ms", percentile(took, 99), percentile(floor, 99), "reported"),
	}, nil
}

func (b *bench) edits(ctx context.Context, app *corev1alpha1.Application) ([]time.Duration, error) {
	events, err := b.hubClient.Watch(ctx, &corev1alpha1.ApplicationList{}, client.InNamespace(namespace), client.MatchingFields{"metadata.name": app.Name})
	if err != nil {
		return nil, err
	}
	defer events.Stop()
	var took []time.Duration
	for n := 1; n <= warmUp+edits; n++ {
		before := app.DeepCopy()
		app.Spec.Components[0].Properties = properties(n)
		began := time.Now()
		if err := b.hubClient.Patch(ctx, app, client.MergeFrom(before)); err != nil {
			return nil, err
		}
		if err := awaitGeneration(events, app.Generation); err != nil {
			return nil, err
		}
		if n > warmUp {
			took = append(took, time.Since(began))
		}
	}
	return took, nil
}

func awaitGeneration(events watch.Interface, generation int64) error {
	for event := range events.ResultChan() {
		if app, ok := event.Object.(*corev1alpha1.Application); ok && app.Generation == generation && ready(app) {
			return nil
		}
	}
	return fmt.Errorf("the watch ended before generation %d was ready", generation)
}
