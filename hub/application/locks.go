package application

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/definition"
)

// ApplicationUIDLabel marks the ControllerRevisions that hold the definitions which an Application has locked.
const ApplicationUIDLabel = "core.wheelwright.dev/application-uid"

// locks are the definitions that an Application uses, for its status.
type locks struct {
	components []corev1alpha1.DefinitionLock
	traits     []corev1alpha1.DefinitionLock
}

func locksOf(status corev1alpha1.ApplicationStatus) locks {
	return locks{components: status.DefinitionLocks, traits: status.TraitLocks}
}

func (l locks) equal(other locks) bool {
	return slices.Equal(l.components, other.components) && slices.Equal(l.traits, other.traits)
}

// cover tells whether there is a lock for every type that the Application leads to.
func (l locks) cover(found definitions) bool {
	for typ := range found.components {
		if findLock(l.components, typ) == nil {
			return false
		}
	}
	for typ := range found.traits {
		if findLock(l.traits, typ) == nil {
			return false
		}
	}
	return true
}

func (l locks) all() []corev1alpha1.DefinitionLock { return slices.Concat(l.components, l.traits) }

// lockDefinitions keeps the content of each definition in a ControllerRevision that the Application owns, before anything
// is dispatched with it, and returns the locks for the status.
func (r *Reconciler) lockDefinitions(ctx context.Context, app *corev1alpha1.Application, found definitions) (locks, error) {
	held := locksOf(app.Status)
	if app.Status.AcceptedGeneration == app.Generation && held.cover(found) {
		return held, nil
	}
	made := locks{}
	for _, typ := range typesOf(app, found) {
		def := found.components[typ]
		lock := newLock(typ, def, def.Hash())
		if err := r.keep(ctx, app, &lock, def.Snapshot(), held.components); err != nil {
			return locks{}, err
		}
		made.components = append(made.components, lock)
	}
	for _, typ := range slices.Sorted(maps.Keys(found.traits)) {
		trait := found.traits[typ]
		lock := newLock(typ, trait.Definition, trait.Hash())
		if err := r.keep(ctx, app, &lock, trait.Snapshot(typ), held.traits); err != nil {
			return locks{}, err
		}
		made.traits = append(made.traits, lock)
	}
	return made, nil
}

// typesOf are the types of components in the order of their locks: those that the Application names, and then those that they
// make.
func typesOf(app *corev1alpha1.Application, found definitions) []string {
	var types []string
	for _, component := range app.Spec.Components {
		if !slices.Contains(types, component.Type) {
			types = append(types, component.Type)
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(found.components)) {
		if !slices.Contains(types, typ) {
			types = append(types, typ)
		}
	}
	return types
}

func newLock(typ string, d definition.Definition, hash string) corev1alpha1.DefinitionLock {
	return corev1alpha1.DefinitionLock{Type: typ, Name: d.Name, APIVersion: d.APIVersion, Version: d.Version, Hash: hash}
}

// keep stores the content that lock is about, unless it is held already, and names it in lock. It is named by owner and
// content, so that making it twice makes it once.
func (r *Reconciler) keep(ctx context.Context, app *corev1alpha1.Application, lock *corev1alpha1.DefinitionLock, snapshot any, held []corev1alpha1.DefinitionLock) error {
	raw, err := json.Marshal(snapshot)
	if err != nil {
		return fmt.Errorf("encoding definition %s: %w", lock.Type, err)
	}
	sum := sha256.Sum256(append([]byte(app.UID), raw...))
	lock.RevisionName = app.Name + "-" + hex.EncodeToString(sum[:10])
	if before := findLock(held, lock.Type); before != nil && *before == *lock {
		return nil
	}
	revision := &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: app.Namespace, Name: lock.RevisionName,
			Labels: map[string]string{ApplicationUIDLabel: string(app.UID)},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(
				app, corev1alpha1.GroupVersion.WithKind("Application"))},
		},
		Data: runtime.RawExtension{Raw: raw}, Revision: app.Generation,
	}
	if err := r.hubClient.Create(ctx, revision); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("keeping the content of definition %s: %w", lock.Type, err)
	}
	return nil
}

// dropUnlocked deletes the contents that no lock names any more.
func (r *Reconciler) dropUnlocked(ctx context.Context, app *corev1alpha1.Application, locks []corev1alpha1.DefinitionLock) error {
	list := &appsv1.ControllerRevisionList{}
	err := r.hubClient.List(ctx, list, client.InNamespace(app.Namespace),
		client.MatchingLabels{ApplicationUIDLabel: string(app.UID)})
	if err != nil {
		return fmt.Errorf("listing the locked definitions of Application %s/%s: %w", app.Namespace, app.Name, err)
	}
	used := map[string]bool{}
	for _, lock := range locks {
		used[lock.RevisionName] = true
	}
	for i := range list.Items {
		if used[list.Items[i].Name] {
			continue
		}
		if err := r.hubClient.Delete(ctx, &list.Items[i]); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting ControllerRevision %s: %w", list.Items[i].Name, err)
		}
	}
	return nil
}

func findLock(locks []corev1alpha1.DefinitionLock, typ string) *corev1alpha1.DefinitionLock {
	for i := range locks {
		if locks[i].Type == typ {
			return &locks[i]
		}
	}
	return nil
}
