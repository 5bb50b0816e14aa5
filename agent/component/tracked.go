package component

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/agent/tracker"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/cue"
)

// resolveOutputs completes outputs by what the cluster and the tracker know of them.
func (r *Reconciler) resolveOutputs(ctx context.Context, run *run, outputs []cue.Output) ([]apply.Object, []apply.Failure) {
	resolved, failures := apply.Resolve(r.spokeClient.RESTMapper(), outputs, run.component.Namespace)
	objects := make([]apply.Object, 0, len(resolved))
	for _, one := range resolved {
		one.Applied = one.Policy.Once && wasApplied(run.ledger, one.Key)
		if one.Policy.ReadOnly() {
			run.observed = append(run.observed, one.Output.Object)
			if err := r.checkReadable(ctx, run, one.Output.Object); err != nil {
				failures = append(failures, apply.Failure{Key: one.Key, Err: err})
				continue
			}
		}
		objects = append(objects, one)
	}
	return objects, failures
}

// checkReadable refuses what the Component's account may not read, since the agent watches it with rights of its own. What it may
// read once it may read until the agent ends, or the Component does.
func (r *Reconciler) checkReadable(ctx context.Context, run *run, rendered *unstructured.Unstructured) error {
	key := object.KeyOf(rendered)
	if run.account.Name == "" || r.readable.has(run.account, key) {
		return nil
	}
	there := &metav1.PartialObjectMetadata{}
	there.SetGroupVersionKind(rendered.GroupVersionKind())
	err := run.actor.Client.Get(ctx, client.ObjectKeyFromObject(rendered), there)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading it: %w", err)
	}
	r.readable.add(run.account, key)
	return nil
}

// maxReadable bounds what is remembered of what accounts may read.
const maxReadable = 4096

// readable are objects that accounts may read.
type readable struct{ cache *lru.Cache }

type permission struct {
	account types.NamespacedName
	key     object.Key
}

func newReadable() readable { return readable{cache: lru.New(maxReadable)} }

func (r readable) has(account types.NamespacedName, key object.Key) bool {
	_, ok := r.cache.Get(permission{account, key})
	return ok
}

func (r readable) add(account types.NamespacedName, key object.Key) {
	r.cache.Add(permission{account, key}, true)
}

func wasApplied(ledger *tracker.Ledger, key object.Key) bool {
	return ledger != nil && slices.ContainsFunc(ledger.Resources, func(resource corev1alpha1.TrackedResource) bool {
		return resource.Applied && object.KeyOfTracked(resource) == key
	})
}

// trackedOf is what the tracker is to hold of objects. What is only read is not among it.
func trackedOf(objects []apply.Object, after bool) []corev1alpha1.TrackedResource {
	resources := make([]corev1alpha1.TrackedResource, 0, len(objects))
	for _, one := range objects {
		if one.Policy.ReadOnly() {
			continue
		}
		resource := object.Tracked(one.Output.Object)
		resource.After, resource.Retain, resource.Applied = after, one.Policy.Retain, one.Applied
		resources = append(resources, resource)
	}
	return resources
}

// apply applies objects that are recorded, and notes those that are never to be applied again. What is wanted is then what the
// tracker holds.
func (r *Reconciler) apply(ctx context.Context, run *run, objects []apply.Object, wanted tracker.Wanted) ([]apply.State, error) {
	states, err := r.applier.As(run.actor.Client).Apply(ctx, run.owner, objects)
	noteApplied(wanted.Resources, objects, states)
	ledger, noteErr := r.trackers.Record(ctx, run.owner, run.ledger, wanted)
	if noteErr != nil {
		return states, append(joinFailures(err, nil), apply.Failure{Err: noteErr})
	}
	run.ledger = ledger
	return states, err
}

// noteApplied marks the resources that are applied once and have been.
func noteApplied(resources []corev1alpha1.TrackedResource, objects []apply.Object, states []apply.State) {
	applied := map[object.Key]bool{}
	for _, state := range states {
		applied[object.KeyOf(state.Output.Object)] = true
	}
	for _, one := range objects {
		if !one.Policy.Once || !applied[one.Key] {
			continue
		}
		for i := range resources {
			if object.KeyOfTracked(resources[i]) == one.Key {
				resources[i].Applied = true
			}
		}
	}
}

// giveUpObserved ends the watches over what the Component does not read any more.
func (r *Reconciler) giveUpObserved(_ context.Context, run *run) *halt {
	r.watcher.ObserveOnly(run.name(), run.observed)
	return nil
}

// retainObserved keeps what the Component owned and now only reads from being deleted: it is let go of.
func retainObserved(leftover []corev1alpha1.TrackedResource, observed []*unstructured.Unstructured) {
	for i := range leftover {
		leftover[i].Retain = leftover[i].Retain || slices.ContainsFunc(observed, func(one *unstructured.Unstructured) bool {
			return object.KeyOf(one) == object.KeyOfTracked(leftover[i])
		})
	}
}
