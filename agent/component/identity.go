package component

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// defaultAccount is what a Component acts as that was applied by hand and names no ServiceAccount.
const defaultAccount = "default"

// alteredRecheck is how soon a Component is looked at again that is not what was rendered. No event tells it where not it but the
// tracker is written again.
const alteredRecheck = 10 * time.Second

// standing is where a Component comes from, which decides whose rights it has.
type standing struct {
	// dispatched is set where the hub sent it, or sent the Component that it is part of.
	dispatched bool
	// parent is the Component that it is part of, or nil.
	parent *object.Owner
	// altered is set where it, or one that it is part of, has another spec than was rendered for it.
	altered bool
}

// identify finds whose rights the Component is acted for with. One that was applied by hand never has the agent's.
func (r *Reconciler) identify(ctx context.Context, run *run) *halt {
	found, err := r.standingOf(ctx, run.component, run.seen)
	if err != nil {
		return stop(condition.Verified, condition.ReasonUnknown, "Where it comes from is not known: %v", err).retrying(err)
	}
	run.standing = found
	if found.dispatched && found.altered {
		run.recheckIn(alteredRecheck)
		return stop(condition.Verified, condition.ReasonAltered,
			"Its spec is not what Component %s/%s rendered: waiting for that one to write it again", found.parent.Namespace, found.parent.Name).waiting()
	}
	if err := r.actFor(run); err != nil {
		return stop(condition.Verified, condition.ReasonUnknown, "%v", err).retrying(err)
	}
	return nil
}

// identifyForRemoval is identify for a Component that is being deleted. Its account goes with its namespace, in no order,
// and must not be waited for then: what the tracker holds was made with that account's rights, and nothing else is deleted. Of
// one that was altered, all that is left to do follows from the tracker as well.
func (r *Reconciler) identifyForRemoval(ctx context.Context, run *run) error {
	found, err := r.standingOf(ctx, run.component, run.seen)
	if err != nil {
		return err
	}
	run.standing = found
	if run.namespaceGoes, err = r.isTerminating(ctx, run.component.Namespace); err != nil {
		return err
	}
	if run.namespaceGoes {
		run.actor = r.accounts.Agent()
		return nil
	}
	return r.actFor(run)
}

// actFor takes the rights that the Component's standing gives it. A part of what the hub dispatched may name an account, so as to
// have no more than that one's.
func (r *Reconciler) actFor(run *run) error {
	if run.standing.dispatched && run.component.Spec.ServiceAccountName == "" {
		run.actor = r.accounts.Agent()
		return nil
	}
	run.account = types.NamespacedName{
		Namespace: run.component.Namespace, Name: cmp.Or(run.component.Spec.ServiceAccountName, defaultAccount),
	}
	var err error
	run.actor, err = r.accounts.ServiceAccount(run.account)
	return err
}

// standingOf follows a Component up to the one that a person or the hub made. Labels alone prove nothing, since anyone may set
// them: the tracker of the one above must hold this one.
func (r *Reconciler) standingOf(ctx context.Context, component *corev1alpha1.Component, seen sights) (standing, error) {
	var found standing
	passed := map[types.UID]bool{}
	for {
		if _, part := object.OwnerOf(component.Labels); component.Spec.Revision != "" && !part {
			found.dispatched = true
			return found, nil
		}
		if passed[component.UID] {
			return standing{}, nil // labels that lead round in a circle lead nowhere
		}
		passed[component.UID] = true
		above, held, err := r.madeBy(ctx, component, seen)
		if above == nil || err != nil {
			return found, err
		}
		found.altered = found.altered || !isRendered(held, component.Spec)
		if found.parent == nil {
			found.parent = &object.Owner{Namespace: above.Namespace, Name: above.Name, UID: above.UID}
		}
		component = above
	}
}

// isRendered tells whether spec is what was rendered, or what was rendered before and may not have been replaced yet.
func isRendered(held corev1alpha1.TrackedResource, spec corev1alpha1.ComponentSpec) bool {
	hash := object.SpecHash(spec)
	return hash == held.SpecHash || hash != "" && slices.Contains(strings.Split(held.FormerSpecHashes, ","), hash)
}

// madeBy is the Component that a Component is part of, and what the tracker of that one holds of it; or nil.
func (r *Reconciler) madeBy(
	ctx context.Context, component *corev1alpha1.Component, seen sights,
) (*corev1alpha1.Component, corev1alpha1.TrackedResource, error) {
	none := corev1alpha1.TrackedResource{}
	owner, owned := object.OwnerOf(component.Labels)
	if !owned {
		return nil, none, nil
	}
	above, key := &corev1alpha1.Component{}, types.NamespacedName{Namespace: owner.Namespace, Name: owner.Name}
	err := r.spokeClient.Get(ctx, key, above)
	seen.see(componentKind, key, above.ResourceVersion)
	if apierrors.IsNotFound(err) || err == nil && above.UID != owner.UID {
		return nil, none, nil
	}
	if err != nil {
		return nil, none, fmt.Errorf("reading Component %s/%s, which this one is part of: %w", owner.Namespace, owner.Name, err)
	}
	ledger, err := r.trackers.Load(ctx, owner)
	if err != nil {
		return nil, none, err
	}
	if ledger == nil {
		seen.see(trackerKind, key, "")
		return nil, none, nil
	}
	seen.see(trackerKind, key, ledger.Version())
	for _, resource := range ledger.Resources {
		if resource.Group == corev1alpha1.GroupVersion.Group && resource.Kind == "Component" &&
			resource.Namespace == component.Namespace && resource.Name == component.Name {
			return above, resource, nil
		}
	}
	return nil, none, nil
}

func (r *Reconciler) isTerminating(ctx context.Context, name string) (bool, error) {
	namespace := &corev1.Namespace{}
	if err := r.spokeReader.Get(ctx, client.ObjectKey{Name: name}, namespace); err != nil {
		return false, fmt.Errorf("reading namespace %s: %w", name, err)
	}
	return !namespace.DeletionTimestamp.IsZero(), nil
}

// identified says whose rights the Component has.
func (r *run) identified() (reason, message string) {
	switch {
	case r.standing.dispatched && r.account.Name != "":
		return condition.ReasonComposed, fmt.Sprintf(
			"It is part of Component %s/%s, which the hub dispatched, and acts with the rights of ServiceAccount %s, which it names.",
			r.standing.parent.Namespace, r.standing.parent.Name, r.account)
	case r.standing.dispatched && r.standing.parent != nil:
		return condition.ReasonComposed, fmt.Sprintf("It is part of Component %s/%s, which the hub dispatched, and acts with the agent's rights.",
			r.standing.parent.Namespace, r.standing.parent.Name)
	case r.standing.dispatched:
		return condition.ReasonFromHub, "The hub dispatched it, and it acts with the agent's rights."
	}
	return condition.ReasonStandalone, fmt.Sprintf("It was applied by hand, and acts with the rights of ServiceAccount %s.", r.account)
}

// forbidden adds to a message that the API server refused something to the Component's account what to do about it.
func (r *run) forbidden(err error) string {
	if r.account.Name == "" || !apierrors.IsForbidden(err) {
		return ""
	}
	return fmt.Sprintf("; bind a role that allows it to ServiceAccount %s, or name another one in spec.serviceAccountName", r.account)
}
