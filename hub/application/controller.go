package application

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/resourceversion"
)

// Reconciler reconciles Applications.
type Reconciler struct {
	hubClient  client.Client
	hubReader  client.Reader // reads live
	dispatcher dispatch.Dispatcher
	checker    Checker
	recorder   record.EventRecorder
	pace       *pace
	builds     *builds
	written    resourceversion.Latest[*corev1alpha1.Application]
	now        func() time.Time
}

// Reconcile brings one Application one step further and writes its status.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	app := &corev1alpha1.Application{}
	if err := r.hubClient.Get(ctx, request.NamespacedName, app); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	app = r.written.Of(app).DeepCopy()
	if !app.DeletionTimestamp.IsZero() {
		return r.reconcileDelete(ctx, app)
	}
	if err := r.patchFinalizer(ctx, app, controllerutil.AddFinalizer); err != nil {
		return requeueOnConflict(err)
	}
	found, failure := r.reconcile(ctx, app)
	if found == nil {
		return ctrl.Result{}, failure
	}
	after, err := r.writeStatus(ctx, app, nextStatus(app, *found))
	if err := errors.Join(failure, err); err != nil {
		return requeueOnConflict(err)
	}
	return ctrl.Result{RequeueAfter: soonest(after, r.until(found.deadline))}, nil
}

// reconcile does the work of an Application that is not being deleted. It returns what it found even where some clusters
// could not be written, and nothing where nothing could be found out.
func (r *Reconciler) reconcile(ctx context.Context, app *corev1alpha1.Application) (*outcome, error) {
	// 1. Definitions: the locked ones while the accepted spec stands, the live ones for a new spec. Parameters first.
	var unresolved []problem
	if usesParameters(app) {
		app, unresolved = withParameters(app)
	}
	found, problems, err := r.loadDefinitions(ctx, app)
	if err != nil {
		return nil, err
	}
	problems = append(unresolved, problems...)
	// 2. Clusters.
	f, err := r.readFleet(ctx, app)
	if err != nil {
		return nil, err
	}
	chosen, err := selectClusters(app.Spec.Placement, f)
	if err != nil {
		return &outcome{rejected: &problem{condition.ReasonNoClusters, err.Error()}}, nil
	}
	// 3. A new spec is accepted as a whole or not at all.
	if app.Status.AcceptedGeneration != app.Generation {
		more, err := r.checkSpec(ctx, app, found, problems, chosen)
		if err != nil {
			return nil, err
		}
		problems = append(problems, more...)
	}
	if len(problems) > 0 {
		all := summarize(problems)
		return &outcome{rejected: &all}, nil
	}
	// 4. Lock what it renders with, before anything is dispatched with it.
	locked, err := r.lockDefinitions(ctx, app, found)
	if err != nil {
		return nil, err
	}
	built, err := r.builds.of(app, locked, found)
	if err != nil {
		return nil, err
	}
	// 5. Deliver, as far as dependencies allow, and read back.
	order, _ := levels(app.Spec.Components)
	p := plan{app: app, levels: order, contents: built, clusters: chosen.clusters}
	pairs, failure := r.roll(ctx, p)
	// 6. Withdraw what is wanted no longer. An empty selection withdraws nothing.
	owed, err := r.prune(ctx, p, chosen, f)
	return &outcome{
		misplaced: chosen.problem, locks: locked, clusters: len(chosen.clusters), pairs: pairs, owed: owed,
		deadline: nextDeadline(pairs),
	}, errors.Join(failure, err)
}

func (r *Reconciler) checkSpec(ctx context.Context, app *corev1alpha1.Application, found definitions, problems []problem, chosen selection) ([]problem, error) {
	more := checkDependencies(app)
	if len(problems) == 0 {
		wrong, err := checkComponents(ctx, app, found, r.checker)
		if err != nil {
			return nil, err
		}
		more = append(more, wrong...)
	}
	if chosen.problem != nil && chosen.problem.reason != condition.ReasonNoClusters {
		more = append(more, *chosen.problem)
	}
	return more, nil
}

func (r *Reconciler) prune(ctx context.Context, p plan, chosen selection, f fleet) (owed int, err error) {
	works, err := r.dispatcher.Owned(ctx, p.app.UID)
	if err != nil {
		return 0, err
	}
	if len(chosen.clusters) == 0 {
		return len(works), nil
	}
	leave, kept, err := sortWorks(works, p, f)
	if err != nil {
		return 0, err
	}
	return len(kept), r.withdraw(ctx, leave)
}

// reconcileDelete withdraws everything and lets the Application go when all of it is confirmed gone.
func (r *Reconciler) reconcileDelete(ctx context.Context, app *corev1alpha1.Application) (ctrl.Result, error) {
	if !controllerutil.ContainsFinalizer(app, corev1alpha1.ApplicationFinalizer) {
		return ctrl.Result{}, nil
	}
	left, err := r.teardown(ctx, app)
	if err != nil {
		return ctrl.Result{}, err
	}
	if len(left) > 0 {
		after, err := r.writeStatus(ctx, app, deletingStatus(app, left))
		if err != nil {
			return requeueOnConflict(err)
		}
		return ctrl.Result{RequeueAfter: after}, nil
	}
	if err := r.dropUnlocked(ctx, app, nil); err != nil {
		return ctrl.Result{}, err
	}
	r.pace.forget(app.UID)
	r.builds.forget(app.UID)
	defer r.written.Forget(app.UID)
	if err := r.patchFinalizer(ctx, app, controllerutil.RemoveFinalizer); client.IgnoreNotFound(err) != nil {
		return requeueOnConflict(err)
	}
	return ctrl.Result{}, nil
}

// patchFinalizer adds or removes the finalizer, where that changes anything.
func (r *Reconciler) patchFinalizer(ctx context.Context, app *corev1alpha1.Application, change func(client.Object, string) bool) error {
	before := app.DeepCopy()
	if !change(app, corev1alpha1.ApplicationFinalizer) {
		return nil
	}
	err := r.hubClient.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if err != nil {
		return fmt.Errorf("patching the finalizer of Application %s/%s: %w", app.Namespace, app.Name, err)
	}
	r.written.Note(app.DeepCopy())
	return nil
}

// writeStatus writes what changed: a change that means something at once, mere counts at most once a second. It returns
// how long to wait for a write that was put off.
func (r *Reconciler) writeStatus(ctx context.Context, app *corev1alpha1.Application, next corev1alpha1.ApplicationStatus) (time.Duration, error) {
	if equality.Semantic.DeepEqual(app.Status, next) {
		return 0, nil
	}
	if wait := r.pace.wait(app.UID, r.now()); wait > 0 && !significant(app.Status, next) {
		return wait, nil
	}
	before := app.DeepCopy()
	app.Status = next
	if err := r.hubClient.Status().Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return 0, fmt.Errorf("writing the status of Application %s/%s: %w", app.Namespace, app.Name, err)
	}
	r.written.Note(app.DeepCopy())
	r.pace.wrote(app.UID, r.now())
	r.announce(before, app)
	if before.Status.AcceptedGeneration != next.AcceptedGeneration {
		return 0, r.dropUnlocked(ctx, app, locksOf(next).all())
	}
	return 0, nil
}

// significant tells a change of state from a change of counts.
func significant(before, next corev1alpha1.ApplicationStatus) bool {
	if before.ObservedGeneration != next.ObservedGeneration || before.AcceptedGeneration != next.AcceptedGeneration ||
		len(before.Conditions) != len(next.Conditions) {
		return true
	}
	for _, c := range next.Conditions {
		old := meta.FindStatusCondition(before.Conditions, c.Type)
		if old == nil || old.Status != c.Status || old.Reason != c.Reason || old.ObservedGeneration != c.ObservedGeneration {
			return true
		}
	}
	return false
}

func (r *Reconciler) until(deadline time.Time) time.Duration {
	if deadline.IsZero() {
		return 0
	}
	return max(deadline.Sub(r.now()), time.Millisecond)
}

// soonest of two waits, where zero is none.
func soonest(a, b time.Duration) time.Duration {
	if a == 0 || (b != 0 && b < a) {
		return b
	}
	return a
}

// requeueOnConflict: a conflict means that the cache has not caught up with a write, ours or a person's. The event that
// brings it up to date would requeue as well; it is no error to report.
func requeueOnConflict(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: 5 * time.Millisecond}, nil
	}
	return ctrl.Result{}, err
}
