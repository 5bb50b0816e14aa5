package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// floor walks the way of an edit on foot: the same writes to objects of the same kinds and about the same size, each made
// as soon as a bare watch shows the one before, with nothing decided in between. Controllers and work agent are stopped
// meanwhile.
func (b *bench) floor(ctx context.Context) ([]time.Duration, error) {
	resume, err := b.stopEverything(ctx)
	if err != nil {
		return nil, err
	}
	w := &walk{bench: b}
	took, err := w.run(ctx)
	return took, errors.Join(err, resume())
}

func (b *bench) stopEverything(ctx context.Context) (resume func() error, err error) {
	hub, agent := b.fleet.Pods(b.fleet.Hub().Name), b.fleet.Pods(b.spoke)
	if err := errors.Join(hub.Pause(ctx), agent.Pause(ctx)); err != nil {
		return nil, err
	}
	b.fleet.StopWorkAgent(b.spoke)
	return func() error {
		hub.Resume()
		agent.Resume()
		return errors.Join(hub.AwaitReady(ctx), agent.AwaitReady(ctx), b.fleet.StartWorkAgent(ctx, b.spoke))
	}, nil
}

// walk holds one object of each kind on the way.
type walk struct {
	*bench
	app       *corev1alpha1.Application
	work      *workv1.ManifestWork
	component *corev1alpha1.Component
	tracker   *corev1alpha1.ResourceTracker
	config    *corev1.ConfigMap
}

// mark is the annotation that carries the number of the edit along the way.
const mark = "bench.wheelwright.dev/n"

func (w *walk) run(ctx context.Context) (took []time.Duration, err error) {
	if err := w.prepare(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	if err := w.startHops(ctx, group); err != nil {
		return nil, err
	}
	arrived, err := w.hubClient.Watch(ctx, &corev1alpha1.ApplicationList{}, client.InNamespace(namespace))
	if err != nil {
		return nil, err
	}
	for n := 1; n <= warmUp+edits; n++ {
		began := time.Now()
		if err := w.patch(ctx, w.hubClient, w.app, map[string]any{"spec": map[string]any{"components": []any{map[string]any{
			"name": "c000", "type": "webservice", "properties": map[string]any{"config": map[string]any{"n": fmt.Sprint(n)}},
		}}}}); err != nil {
			return nil, err
		}
		if err := awaitGenerationSeen(arrived, w.app.Generation); err != nil {
			return nil, err
		}
		if n > warmUp {
			took = append(took, time.Since(began))
		}
	}
	cancel()
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	return took, nil
}

func awaitGenerationSeen(events watch.Interface, generation int64) error {
	for event := range events.ResultChan() {
		if app, ok := event.Object.(*corev1alpha1.Application); ok && app.Status.ObservedGeneration == generation {
			return nil
		}
	}
	return fmt.Errorf("the watch ended before generation %d arrived", generation)
}

// prepare creates the objects.
func (w *walk) prepare(ctx context.Context) error {
	meta := metav1.ObjectMeta{Namespace: namespace, Name: "floor", Annotations: map[string]string{mark: "0"}}
	w.app = w.newApplication("floor", 1)
	w.component = &corev1alpha1.Component{ObjectMeta: meta}
	w.component.Spec.Type = "webservice"
	w.config = &corev1.ConfigMap{ObjectMeta: meta}
	w.tracker = &corev1alpha1.ResourceTracker{ObjectMeta: metav1.ObjectMeta{Name: "floor"}}
	w.work = &workv1.ManifestWork{ObjectMeta: metav1.ObjectMeta{Namespace: w.spoke, Name: "floor"}}
	raw, err := json.Marshal(w.component)
	if err != nil {
		return err
	}
	w.work.Spec.Workload.Manifests = []workv1.Manifest{{}}
	w.work.Spec.Workload.Manifests[0].Raw = append([]byte(`{"apiVersion":"core.wheelwright.dev/v1alpha1","kind":"Component",`), raw[1:]...)
	exists := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if err := client.IgnoreAlreadyExists(w.spokeClient.Create(ctx, exists)); err != nil {
		return err
	}
	return errors.Join(w.hubClient.Create(ctx, w.app), w.hubClient.Create(ctx, w.work), w.spokeClient.Create(ctx, w.component),
		w.spokeClient.Create(ctx, w.tracker), w.spokeClient.Create(ctx, w.config))
}

// startHops starts what reacts to each write, in the order of the way.
func (w *walk) startHops(ctx context.Context, group *errgroup.Group) error {
	return errors.Join(
		// The hub's manager sees the edit and writes the work.
		hop(ctx, group, w.hubClient, &corev1alpha1.ApplicationList{}, namespace, func(app *corev1alpha1.Application) error {
			return w.patchSpec(ctx, w.hubClient, w.work, app.Generation)
		}, func(app *corev1alpha1.Application) int64 { return app.Generation }),
		// The work agent sees the work and applies the Component, then says so.
		hop(ctx, group, w.hubClient, &workv1.ManifestWorkList{}, w.spoke, func(work *workv1.ManifestWork) error {
			if err := w.patchSpec(ctx, w.spokeClient, w.component, work.Generation); err != nil {
				return err
			}
			return w.patchStatus(ctx, w.hubClient, w.work, map[string]any{"conditions": []any{observed("Applied", work.Generation)}})
		}, func(work *workv1.ManifestWork) int64 { return work.Generation }),
		// The agent sees the Component, records, applies and reports.
		hop(ctx, group, w.spokeClient, &corev1alpha1.ComponentList{}, namespace, func(component *corev1alpha1.Component) error {
			return errors.Join(
				w.patch(ctx, w.spokeClient, w.tracker, map[string]any{"spec": map[string]any{"renderHash": fmt.Sprint(component.Generation)}}),
				w.patch(ctx, w.spokeClient, w.config, map[string]any{"data": map[string]any{"n": fmt.Sprint(component.Generation)}}),
				w.patchStatus(ctx, w.spokeClient, w.component, map[string]any{"observedGeneration": component.Generation}))
		}, func(component *corev1alpha1.Component) int64 { return component.Generation }),
		// The work agent sees the report and feeds it back.
		hop(ctx, group, w.spokeClient, &corev1alpha1.ComponentList{}, namespace, func(component *corev1alpha1.Component) error {
			return w.patchStatus(ctx, w.hubClient, w.work, map[string]any{"conditions": []any{observed("Available", component.Status.ObservedGeneration)}})
		}, func(component *corev1alpha1.Component) int64 { return component.Status.ObservedGeneration }),
		// The hub's manager sees the feedback and writes the Application's status.
		hop(ctx, group, w.hubClient, &workv1.ManifestWorkList{}, w.spoke, func(work *workv1.ManifestWork) error {
			return w.patchStatus(ctx, w.hubClient, w.app, map[string]any{"observedGeneration": work.Generation})
		}, func(work *workv1.ManifestWork) int64 {
			for _, c := range work.Status.Conditions {
				if c.Type == "Available" {
					return c.ObservedGeneration
				}
			}
			return 0
		}),
	)
}

// hop reacts once to each growth of a number in the objects that a watch shows, but not to what is there at its start.
func hop[T client.Object](ctx context.Context, group *errgroup.Group, cluster client.WithWatch, list client.ObjectList, in string,
	react func(T) error, number func(T) int64) error {
	events, err := cluster.Watch(ctx, list, client.InNamespace(in), client.MatchingFields{"metadata.name": "floor"})
	if err != nil {
		return err
	}
	group.Go(func() error {
		defer events.Stop()
		last := int64(1)
		for event := range events.ResultChan() {
			object, ok := event.Object.(T)
			if !ok || number(object) <= last {
				continue
			}
			last = number(object)
			if err := react(object); err != nil && ctx.Err() == nil {
				return err
			}
		}
		return nil
	})
	return nil
}

func observed(typ string, generation int64) map[string]any {
	return map[string]any{"type": typ, "status": "True", "reason": typ, "message": "", "observedGeneration": generation,
		"lastTransitionTime": time.Now().UTC().Format(time.RFC3339)}
}

// patchSpec changes the spec so that the next generation is the one after the number.
func (w *walk) patchSpec(ctx context.Context, cluster client.Client, object client.Object, n int64) error {
	if _, ok := object.(*workv1.ManifestWork); ok {
		manifest := map[string]any{}
		if err := json.Unmarshal(w.work.Spec.Workload.Manifests[0].Raw, &manifest); err != nil {
			return err
		}
		manifest["spec"] = map[string]any{"type": "webservice", "properties": map[string]any{"n": n}}
		return w.patch(ctx, cluster, &workv1.ManifestWork{ObjectMeta: metav1.ObjectMeta{Namespace: w.spoke, Name: "floor"}},
			map[string]any{"spec": map[string]any{"workload": map[string]any{"manifests": []any{manifest}}}})
	}
	return w.patch(ctx, cluster, &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "floor"}},
		map[string]any{"spec": map[string]any{"properties": map[string]any{"n": n}}})
}

func (w *walk) patch(ctx context.Context, cluster client.Client, object client.Object, content map[string]any) error {
	raw, err := json.Marshal(content)
	if err != nil {
		return err
	}
	return cluster.Patch(ctx, object, client.RawPatch(types.MergePatchType, raw))
}

func (w *walk) patchStatus(ctx context.Context, cluster client.Client, object client.Object, status map[string]any) error {
	raw, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	copied, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T cannot be copied", object)
	}
	return cluster.Status().Patch(ctx, copied, client.RawPatch(types.MergePatchType, raw))
}
