package component

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/identity"
	"wheelwright.dev/wheelwright/agent/object"
	agentrender "wheelwright.dev/wheelwright/agent/render"
	"wheelwright.dev/wheelwright/agent/tracker"
	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/resourceversion"
)

// Watcher shows the kinds that Components use, and wakes the Components.
type Watcher interface {
	// Use watches kinds for as long as component uses them.
	Use(ctx context.Context, component types.NamespacedName, kinds []schema.GroupVersionKind) error
	// Get gives the live object of a kind in use, or nil. It must not be changed.
	Get(ctx context.Context, kind schema.GroupVersionKind, key object.Key) (*unstructured.Unstructured, error)
	// Await wakes component when an object of another Component, as it was seen, changes.
	Await(ctx context.Context, component types.NamespacedName, seen *unstructured.Unstructured)
	// OwnedBy gives all objects of owner that the watches show, of these kinds among others.
	OwnedBy(ctx context.Context, owner object.Owner, kinds []schema.GroupVersionKind) ([]*unstructured.Unstructured, error)
	// Observe gives an object that component reads and does not own, or nil. It must not be changed, and wakes component from then on.
	Observe(ctx context.Context, component types.NamespacedName, kind schema.GroupVersionKind, key object.Key) (*unstructured.Unstructured, error)
	// ObserveOnly gives up all that component observed but these.
	ObserveOnly(component types.NamespacedName, rendered []*unstructured.Unstructured)
	// Forget gives up what a Component that is gone used.
	Forget(ctx context.Context, component types.NamespacedName)
}

// Operations are what actions of workflows do beside the passes over Components.
type Operations interface {
	// Cancel ends those of a Component.
	Cancel(component types.UID)
}

// Reconciler reconciles Components. All fields are required.
type Reconciler struct {
	// spokeClient reads Components and definitions from the manager's cache.
	spokeClient client.Client
	// spokeReader reads past every cache.
	spokeReader client.Reader
	evaluator   agentrender.Evaluator
	cluster     agentrender.Cluster
	trackers    *tracker.Store
	applier     *apply.Applier
	watcher     Watcher
	recorder    record.EventRecorder
	hasher      hasher
	engine      *workflow.Engine
	accounts    *identity.Accounts
	operations  Operations
	written     *resourceversion.Written
	clock       clock.PassiveClock
	settled     settled
	readable    readable
	owners      sync.Map // types.NamespacedName to object.Owner, for what to forget when a Component is gone
}

// step is one part of the pipeline. A halt ends it, with what the conditions are to say.
type step func(ctx context.Context, run *run) *halt

// supersededRecheck is how soon a Component is looked at again whose status was refused for a conflict.
const supersededRecheck = 5 * time.Second

// Reconcile takes one Component as far as it can be now.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	result, err := r.process(ctx, request)
	if errors.Is(err, errSuperseded) {
		// The event of whoever wrote brings it back. Where nobody did, and the conflict was none of ours, this does.
		return reconcile.Result{RequeueAfter: supersededRecheck}, nil
	}
	return result, err
}

// process runs the pipeline of KEP-2.2 once for one Component; the numbers are the KEP's. Whatever happens, it ends in one
// write of status, and in none when the status is what it was. The error is errSuperseded when somebody else wrote meanwhile.
func (r *Reconciler) process(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	component, err := r.read(ctx, request.NamespacedName)
	if component == nil || err != nil {
		return reconcile.Result{}, err
	}
	if !component.DeletionTimestamp.IsZero() {
		return r.remove(ctx, component)
	}
	if r.isSettled(ctx, component) {
		return reconcile.Result{}, nil
	}
	if err := r.ensureFinalizer(ctx, component); err != nil {
		return reconcile.Result{}, err
	}

	current := newRun(component, r.clock.Now())
	for _, next := range []step{
		r.identify,        // 1
		r.loadDefinitions, // 2
		r.loadState,       // 4
		r.resolve,         // 6: before 3, since what makes an event are values
		r.diff,            // 3
		r.carryOut,        // 5 to 11, of which 7 (pre traits), 8 (evaluate) and 9 (apply) are dispatch
		r.awaitOutputs,
		r.judge, // 12, and 13: exports
		r.after, // 14: post traits
		r.giveUpObserved,
	} {
		if current.halt = next(ctx, current); current.halt != nil {
			break
		}
	}
	if current.halt.isSuperseded() {
		return reconcile.Result{}, errSuperseded
	}
	r.publish(component, append(appliedEvent(current.states), warnings(current)...))
	status := statusAfter(current)
	current.recheckIn(untilDeadline(component, status, current.now))
	err = r.writeStatus(ctx, component, status)
	r.settle(current, status, err == nil)
	if err := errors.Join(current.halt.retry(), unlessDefinition(current.afterError), err); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: current.recheck}, nil
}

// read gives the Component, or nil when there is nothing to do: it is gone, or the cache does not show our own last write yet. In
// that case the event of that write comes, and brings us back.
func (r *Reconciler) read(ctx context.Context, name types.NamespacedName) (*corev1alpha1.Component, error) {
	component := &corev1alpha1.Component{}
	err := r.spokeClient.Get(ctx, name, component)
	if apierrors.IsNotFound(err) {
		r.forget(ctx, name)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading Component %s: %w", name, err)
	}
	if r.written.AheadOf(component) {
		return nil, nil
	}
	r.owners.Store(name, object.OwnerFor(component))
	return component, nil
}

// ensureFinalizer makes sure that nothing is applied for a Component that could vanish without a trace.
func (r *Reconciler) ensureFinalizer(ctx context.Context, component *corev1alpha1.Component) error {
	before := component.DeepCopy()
	if !controllerutil.AddFinalizer(component, corev1alpha1.ComponentFinalizer) {
		return nil
	}
	return r.patchMetadata(ctx, before, component)
}

// patchMetadata writes the difference from before to after, which becomes what the API server answers.
func (r *Reconciler) patchMetadata(ctx context.Context, before, after *corev1alpha1.Component) error {
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.spokeClient.Patch(ctx, after, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("writing the finalizers of Component %s/%s: %w", after.Namespace, after.Name, err)
	}
	r.written.Note(after)
	return nil
}

// forget lets go of everything that is remembered of a Component that is gone.
func (r *Reconciler) forget(ctx context.Context, name types.NamespacedName) {
	r.watcher.Forget(ctx, name)
	r.settled.keep(name, nil)
	if owner, ok := r.owners.LoadAndDelete(name); ok {
		r.applier.Forget(owner.(object.Owner))
		r.operations.Cancel(owner.(object.Owner).UID)
		r.written.Forget(owner.(object.Owner).UID)
	}
}
