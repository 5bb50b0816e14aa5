package component

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/identity"
	agentrender "wheelwright.dev/wheelwright/agent/render"
	"wheelwright.dev/wheelwright/agent/tracker"
	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/directive"
	"wheelwright.dev/wheelwright/shared/resourceversion"
)

// Indexes of Components in the manager's cache.
const (
	// byDefinition is the name of the installed definition that a Component renders with.
	byDefinition = "wheelwright.definition"
	// byTrait are the names of the installed trait definitions that a Component renders with.
	byTrait = "wheelwright.trait"
	// byDependency is the name of a Component that a standalone one needs, or that any takes a value from.
	byDependency = "wheelwright.dependency"
)

// ControllerName names the controller in logs, metrics and events.
const ControllerName = "component"

// Parts are what a Reconciler is made of.
type Parts struct {
	// Evaluator evaluates definitions.
	Evaluator agentrender.Evaluator
	// Cluster is the version of the cluster, which definitions may ask for.
	Cluster  agentrender.Cluster
	Trackers *tracker.Store
	Applier  *apply.Applier
	Watcher  Watcher
	// Accounts are whose rights Components act with.
	Accounts *identity.Accounts
	// Engine runs the workflows of definitions.
	Engine *workflow.Engine
	// Operations are ended with the workflow that began them.
	Operations Operations
	// HashKey keys the hashes of resolved properties. Without one, a change of a source is not seen as an event when it
	// happens while the agent is not running.
	HashKey []byte
	// Clock tells how long a Component is on its way.
	Clock clock.PassiveClock
	// Wrap goes around the reconciler, or is nil.
	Wrap func(reconcile.Reconciler) reconcile.Reconciler
	// Changes wakes Components when what they own changes.
	Changes source.Source
}

// Setup adds the component-controller to mgr.
func Setup(ctx context.Context, mgr ctrl.Manager, parts Parts, options controller.Options) error {
	reconciler := &Reconciler{
		spokeClient: mgr.GetClient(),
		spokeReader: mgr.GetAPIReader(),
		evaluator:   parts.Evaluator,
		cluster:     parts.Cluster,
		trackers:    parts.Trackers,
		applier:     parts.Applier,
		watcher:     parts.Watcher,
		recorder:    mgr.GetEventRecorderFor("wheelwright-agent"),
		written:     &resourceversion.Written{},
		hasher:      newHasher(parts.HashKey),
		engine:      parts.Engine,
		accounts:    parts.Accounts,
		operations:  parts.Operations,
		clock:       parts.Clock,
		readable:    newReadable(),
	}
	for field, index := range map[string]client.IndexerFunc{byDefinition: installedDefinition, byTrait: installedTraits, byDependency: dependencies, bySource: sources} {
		if err := mgr.GetFieldIndexer().IndexField(ctx, &corev1alpha1.Component{}, field, index); err != nil {
			return fmt.Errorf("indexing Components by %s: %w", field, err)
		}
	}
	var wrapped reconcile.Reconciler = reconciler
	if parts.Wrap != nil {
		wrapped = parts.Wrap(reconciler)
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named(ControllerName).
		For(&corev1alpha1.Component{}).
		WatchesRawSource(parts.Changes).
		Watches(&corev1alpha1.Component{}, reconciler.enqueueListed(byDependency, client.Object.GetName)).
		Watches(&corev1alpha1.ComponentDefinition{}, reconciler.enqueueListed(byDefinition, client.Object.GetName)).
		Watches(&corev1alpha1.TraitDefinition{}, reconciler.enqueueListed(byTrait, client.Object.GetName)).
		WatchesMetadata(&corev1.ConfigMap{}, reconciler.enqueueUsers(directive.ConfigMap)).
		WatchesMetadata(&corev1.Secret{}, reconciler.enqueueUsers(directive.Secret)).
		Watches(&corev1alpha1.ResourceTracker{}, reconciler.enqueueTracked()).
		WithOptions(options).
		Complete(wrapped)
}

// installedDefinition is the object name of the definition that a Component looks up on its cluster.
func installedDefinition(object client.Object) []string {
	component, ok := object.(*corev1alpha1.Component)
	if !ok || component.Spec.DefinitionSnapshot != nil {
		return nil
	}
	reference, err := definition.ParseReference(component.Spec.Type)
	if err != nil {
		return nil
	}
	return []string{reference.ObjectName()}
}

// installedTraits are the object names of the trait definitions that a Component looks up on its cluster.
func installedTraits(object client.Object) []string {
	component, ok := object.(*corev1alpha1.Component)
	if !ok || component.Spec.DefinitionSnapshot != nil {
		return nil
	}
	var names []string
	for _, trait := range component.Spec.Traits {
		if reference, err := definition.ParseReference(trait.Type); err == nil {
			names = append(names, reference.ObjectName())
		}
	}
	return names
}

// dependencies are the names of the Components that a standalone one needs, and of those that any takes values from.
func dependencies(object client.Object) []string {
	component, ok := object.(*corev1alpha1.Component)
	if !ok {
		return nil
	}
	names := directiveDependencies(component)
	if component.Spec.Revision != "" {
		return names
	}
	for _, dependency := range component.Spec.DependsOn {
		names = append(names, dependency.Name)
	}
	return names
}

// enqueueListed wakes the Components that have the changed object's entry under an index, in its namespace if it has one.
func (r *Reconciler) enqueueListed(index string, entry func(client.Object) string) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, changed client.Object) []reconcile.Request {
		found := &corev1alpha1.ComponentList{}
		options := []client.ListOption{client.MatchingFields{index: entry(changed)}, client.InNamespace(changed.GetNamespace()), client.UnsafeDisableDeepCopy}
		if err := r.spokeClient.List(ctx, found, options...); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "Cannot list the Components to wake", "index", index, "name", changed.GetName())
			return nil
		}
		requests := make([]reconcile.Request, 0, len(found.Items))
		for _, component := range found.Items {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&component)})
		}
		return requests
	})
}

// enqueueTracked wakes the Component whose tracker somebody else edited or deleted, so that it is recorded anew.
func (r *Reconciler) enqueueTracked() handler.EventHandler {
	wake := func(queue workqueue.TypedRateLimitingInterface[reconcile.Request], changed client.Object) {
		if tracked, ok := changed.(*corev1alpha1.ResourceTracker); ok {
			owner := tracked.Spec.Component
			queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: owner.Namespace, Name: owner.Name}})
		}
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, creation event.CreateEvent, _ workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			r.trackers.Seen(creation.Object)
		},
		UpdateFunc: func(_ context.Context, change event.UpdateEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			byOthers := r.trackers.Seen(change.ObjectNew)
			if byOthers && change.ObjectOld.GetGeneration() != change.ObjectNew.GetGeneration() {
				wake(queue, change.ObjectOld) // the new one may name another
			}
		},
		DeleteFunc: func(_ context.Context, deletion event.DeleteEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			if r.trackers.SeenGone(deletion.Object) {
				wake(queue, deletion.Object)
			}
		},
	}
}
