package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// floor walks the way of an edit on foot: the same kinds of writes to copies of the same objects, each made as soon as a
// bare watch shows the one before, with nothing decided in between. Controllers and work agent are stopped meanwhile.
func (b *bench) floor(ctx context.Context, app *corev1alpha1.Application) ([]time.Duration, error) {
	w, err := b.newWalk(ctx, app)
	if err != nil {
		return nil, err
	}
	resume, err := b.stopEverything(ctx)
	if err != nil {
		return nil, err
	}
	took, err := w.run(ctx)
	return took, errors.Join(err, w.clear(ctx), resume())
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

// walk holds a copy of each object on the way, under the name floor.
type walk struct {
	*bench
	app       *corev1alpha1.Application
	work      *workv1.ManifestWork
	component *corev1alpha1.Component
	tracker   *corev1alpha1.ResourceTracker
	config    *corev1.ConfigMap
}

// newWalk copies what an Application of one component was delivered as.
func (b *bench) newWalk(ctx context.Context, app *corev1alpha1.Application) (*walk, error) {
	name := app.Name + "-" + app.Spec.Components[0].Name
	w := &walk{
		bench: b, app: app.DeepCopy(), work: &workv1.ManifestWork{}, component: &corev1alpha1.Component{},
		tracker: &corev1alpha1.ResourceTracker{}, config: &corev1.ConfigMap{},
	}
	err := errors.Join(
		b.hubClient.Get(ctx, client.ObjectKey{Namespace: b.spoke, Name: dispatch.WorkName("Component", namespace, name)}, w.work),
		b.spokeClient.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, w.component),
		b.spokeClient.Get(ctx, client.ObjectKey{Name: namespace + "." + name}, w.tracker),
		b.spokeClient.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name + "-config"}, w.config),
	)
	for _, object := range w.objects() {
		object.SetName("floor")
		object.SetUID("")
		object.SetResourceVersion("")
		object.SetFinalizers(nil)
		object.SetOwnerReferences(nil)
		object.SetLabels(nil)
		object.SetManagedFields(nil)
	}
	return w, err
}

func (w *walk) objects() []client.Object {
	return []client.Object{w.app, w.work, w.component, w.tracker, w.config}
}

func (w *walk) on(object client.Object) client.WithWatch {
	switch object.(type) {
	case *corev1alpha1.Application, *workv1.ManifestWork:
		return w.hubClient
	}
	return w.spokeClient
}

func (w *walk) clear(ctx context.Context) error {
	var failures []error
	for _, object := range w.objects() {
		failures = append(failures, w.on(object).Delete(ctx, object))
	}
	return errors.Join(failures...)
}

func (w *walk) run(ctx context.Context) (took []time.Duration, err error) {
	for _, object := range w.objects() {
		if err := w.on(object).Create(ctx, object); err != nil {
			return nil, err
		}
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
		before := w.app.DeepCopy()
		w.app.Spec.Components[0].Properties = properties(-n)
		if err := w.hubClient.Patch(ctx, w.app, client.MergeFrom(before)); err != nil {
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

// startHops starts what reacts to each write, in the order of the way.
func (w *walk) startHops(ctx context.Context, group *errgroup.Group) error {
	return errors.Join(
		// The hub's manager sees the edit, writes the work and says so.
		hop(ctx, group, w.hubClient, &corev1alpha1.ApplicationList{}, namespace, func(app *corev1alpha1.Application) error {
			return errors.Join(w.writeWork(ctx, app.Generation), w.patchStatus(ctx, w.app, map[string]any{"acceptedGeneration": app.Generation}))
		}, generation[*corev1alpha1.Application]),
		// The work agent sees the work and applies the Component, then says so.
		hop(ctx, group, w.hubClient, &workv1.ManifestWorkList{}, w.spoke, func(work *workv1.ManifestWork) error {
			return errors.Join(w.applyComponent(ctx, work.Generation),
				w.patchStatus(ctx, w.work, map[string]any{"conditions": []any{observed("Applied", work.Generation)}}))
		}, generation[*workv1.ManifestWork]),
		// The agent sees the Component, records, applies and reports.
		hop(ctx, group, w.spokeClient, &corev1alpha1.ComponentList{}, namespace, func(component *corev1alpha1.Component) error {
			n := component.Generation
			return errors.Join(w.record(ctx, n), w.applyConfig(ctx, n), w.patchStatus(ctx, w.component, map[string]any{"observedGeneration": n}))
		}, generation[*corev1alpha1.Component]),
		// The work agent sees the report and feeds it back.
		hop(ctx, group, w.spokeClient, &corev1alpha1.ComponentList{}, namespace, func(component *corev1alpha1.Component) error {
			return w.patchStatus(ctx, w.work, map[string]any{"conditions": []any{observed("Available", component.Status.ObservedGeneration)}})
		}, func(component *corev1alpha1.Component) int64 { return component.Status.ObservedGeneration }),
		// The hub's manager sees the feedback and writes the Application's status.
		hop(ctx, group, w.hubClient, &workv1.ManifestWorkList{}, w.spoke, func(work *workv1.ManifestWork) error {
			return w.patchStatus(ctx, w.app, map[string]any{"observedGeneration": available(work)})
		}, available),
	)
}

func generation[T client.Object](object T) int64 { return object.GetGeneration() }

func available(work *workv1.ManifestWork) int64 {
	for _, c := range work.Status.Conditions {
		if c.Type == "Available" {
			return c.ObservedGeneration
		}
	}
	return 0
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

// writeWork puts the Component with another property into the work.
func (w *walk) writeWork(ctx context.Context, n int64) error {
	component := w.component.DeepCopy()
	component.SetGroupVersionKind(corev1alpha1.GroupVersion.WithKind("Component"))
	component.Spec.Properties = properties(int(-n))
	return w.merge(ctx, w.work, map[string]any{"spec": map[string]any{
		"workload": map[string]any{"manifests": []any{component}}, "manifestConfigs": w.work.Spec.ManifestConfigs}})
}

func (w *walk) applyComponent(ctx context.Context, n int64) error {
	return w.apply(ctx, corev1alpha1.GroupVersion.WithKind("Component"), map[string]any{"spec": map[string]any{
		"type": w.component.Spec.Type, "revision": w.component.Spec.Revision, "properties": properties(int(-n)),
		"definitionSnapshot": w.component.Spec.DefinitionSnapshot}})
}

// record updates the tracker with a new hash of the rendering.
func (w *walk) record(ctx context.Context, n int64) error {
	w.tracker.Spec.RenderHash = fmt.Sprint(n)
	return w.spokeClient.Update(ctx, w.tracker)
}

func (w *walk) applyConfig(ctx context.Context, n int64) error {
	return w.apply(ctx, corev1.SchemeGroupVersion.WithKind("ConfigMap"), map[string]any{"data": map[string]any{"n": fmt.Sprint(n)}})
}

// apply is a server-side apply of a spoke's object.
func (w *walk) apply(ctx context.Context, kind schema.GroupVersionKind, content map[string]any) error {
	raw, err := json.Marshal(content)
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(raw, &object.Object); err != nil {
		return err
	}
	object.SetGroupVersionKind(kind)
	object.SetNamespace(namespace)
	object.SetName("floor")
	return w.spokeClient.Patch(ctx, object, client.Apply, client.FieldOwner("floor"), client.ForceOwnership)
}

func (w *walk) merge(ctx context.Context, object client.Object, content map[string]any) error {
	raw, err := json.Marshal(content)
	if err != nil {
		return err
	}
	copied, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T cannot be copied", object)
	}
	return w.on(object).Patch(ctx, copied, client.RawPatch(types.MergePatchType, raw))
}

func (w *walk) patchStatus(ctx context.Context, object client.Object, status map[string]any) error {
	raw, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	copied, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T cannot be copied", object)
	}
	return w.on(object).Status().Patch(ctx, copied, client.RawPatch(types.MergePatchType, raw))
}
