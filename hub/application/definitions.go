package application

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/definition"
)

// ApplicationUIDLabel marks the ControllerRevisions that hold the definitions which an Application has locked.
const ApplicationUIDLabel = "core.wheelwright.dev/application-uid"

// definitions are what an Application's components render with, by the type that they name.
type definitions map[string]definition.Definition

// loadDefinitions returns the locked definitions while the accepted spec stands, and the live ones for a spec that is new:
// editing a definition never rolls the fleet by itself. What cannot be loaded is a problem of the spec, not an error.
func (r *Reconciler) loadDefinitions(ctx context.Context, app *corev1alpha1.Application) (definitions, []problem, error) {
	found, problems := definitions{}, []problem(nil)
	for _, component := range app.Spec.Components {
		if _, done := found[component.Type]; done {
			continue
		}
		loaded, wrong, err := r.loadDefinition(ctx, app, component.Type)
		if err != nil {
			return nil, nil, err
		}
		if wrong != nil {
			wrong.message = fmt.Sprintf("component %q: %s", component.Name, wrong.message)
			problems = append(problems, *wrong)
			continue
		}
		found[component.Type] = loaded
	}
	return found, problems, nil
}

func (r *Reconciler) loadDefinition(ctx context.Context, app *corev1alpha1.Application, typ string) (definition.Definition, *problem, error) {
	if lock := findLock(app, typ); lock != nil && app.Status.AcceptedGeneration == app.Generation {
		return r.loadLocked(ctx, app, lock)
	}
	return r.loadLive(ctx, typ)
}

func (r *Reconciler) loadLive(ctx context.Context, typ string) (definition.Definition, *problem, error) {
	none := definition.Definition{}
	reference, err := definition.ParseReference(typ)
	if err != nil {
		return none, &problem{condition.ReasonDefinitionNotFound, err.Error()}, nil
	}
	object, key := &corev1alpha1.ComponentDefinition{}, types.NamespacedName{Name: reference.ObjectName()}
	err = r.hubClient.Get(ctx, key, object)
	if apierrors.IsNotFound(err) {
		// A definition that was created just before the Application may not be in the cache yet.
		err = r.hubReader.Get(ctx, key, object)
	}
	if apierrors.IsNotFound(err) {
		wrong, err := r.unknownDefinition(ctx, reference)
		return none, wrong, err
	}
	if err != nil {
		return none, nil, fmt.Errorf("reading ComponentDefinition %s: %w", reference.ObjectName(), err)
	}
	loaded := definition.FromObject(object)
	if reference.Line != "" && loaded.APIVersion != reference.Line {
		return none, &problem{condition.ReasonDefinitionNotFound, fmt.Sprintf(
			"ComponentDefinition %s is of API line %s, not %s", object.Name, loaded.APIVersion, reference.Line)}, nil
	}
	return loaded, nil, nil
}

// unknownDefinition names what there is instead, so that a typo explains itself.
func (r *Reconciler) unknownDefinition(ctx context.Context, reference definition.Reference) (*problem, error) {
	list := &corev1alpha1.ComponentDefinitionList{}
	if err := r.hubClient.List(ctx, list); err != nil {
		return nil, fmt.Errorf("listing ComponentDefinitions: %w", err)
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return &problem{condition.ReasonDefinitionNotFound, fmt.Sprintf(
		"no ComponentDefinition is named %s; there are %s", reference.ObjectName(), quoted(names))}, nil
}

func (r *Reconciler) loadLocked(ctx context.Context, app *corev1alpha1.Application, lock *corev1alpha1.DefinitionLock) (definition.Definition, *problem, error) {
	revision := &appsv1.ControllerRevision{}
	err := r.hubClient.Get(ctx, types.NamespacedName{Namespace: app.Namespace, Name: lock.RevisionName}, revision)
	if apierrors.IsNotFound(err) {
		// The cache may lag behind our own creation, so the API decides.
		err = r.hubReader.Get(ctx, types.NamespacedName{Namespace: app.Namespace, Name: lock.RevisionName}, revision)
	}
	if apierrors.IsNotFound(err) {
		return definition.Definition{}, &problem{condition.ReasonDefinitionNotFound, fmt.Sprintf(
			"the locked content of %s is gone (ControllerRevision %s): change the Application's spec to adopt the definition as it is now",
			lock.Type, lock.RevisionName)}, nil
	}
	if err != nil {
		return definition.Definition{}, nil, fmt.Errorf("reading ControllerRevision %s/%s: %w", app.Namespace, lock.RevisionName, err)
	}
	snapshot := &corev1alpha1.DefinitionSnapshot{}
	if err := json.Unmarshal(revision.Data.Raw, snapshot); err != nil {
		return definition.Definition{}, nil, fmt.Errorf("decoding ControllerRevision %s/%s: %w", app.Namespace, lock.RevisionName, err)
	}
	return definition.FromSnapshot(snapshot), nil, nil
}

// lockDefinitions keeps the content of each definition in a ControllerRevision that the Application owns, before anything
// is dispatched with it, and returns the locks for the status.
func (r *Reconciler) lockDefinitions(ctx context.Context, app *corev1alpha1.Application, found definitions) ([]corev1alpha1.DefinitionLock, error) {
	var locks []corev1alpha1.DefinitionLock
	for _, component := range app.Spec.Components {
		if containsLock(locks, component.Type) {
			continue
		}
		held := findLock(app, component.Type)
		if held != nil && app.Status.AcceptedGeneration == app.Generation {
			locks = append(locks, *held)
			continue
		}
		revision, lock, err := newLock(app, component.Type, found[component.Type])
		if err != nil {
			return nil, err
		}
		locks = append(locks, lock)
		if held != nil && *held == lock {
			continue
		}
		if err := r.hubClient.Create(ctx, revision); err != nil && !apierrors.IsAlreadyExists(err) {
			return nil, fmt.Errorf("keeping the content of definition %s: %w", component.Type, err)
		}
	}
	return locks, nil
}

// newLock names the revision by owner and content, so that making it twice makes it once.
func newLock(app *corev1alpha1.Application, typ string, d definition.Definition) (*appsv1.ControllerRevision, corev1alpha1.DefinitionLock, error) {
	raw, err := json.Marshal(d.Snapshot())
	if err != nil {
		return nil, corev1alpha1.DefinitionLock{}, fmt.Errorf("encoding definition %s: %w", typ, err)
	}
	sum := sha256.Sum256(append([]byte(app.UID), raw...))
	name := app.Name + "-" + hex.EncodeToString(sum[:10])
	revision := &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: app.Namespace, Name: name,
			Labels: map[string]string{ApplicationUIDLabel: string(app.UID)},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(
				app, corev1alpha1.GroupVersion.WithKind("Application"))},
		},
		Data: runtime.RawExtension{Raw: raw}, Revision: app.Generation,
	}
	lock := corev1alpha1.DefinitionLock{
		Type: typ, Name: d.Name, APIVersion: d.APIVersion, Version: d.Version, Hash: d.Hash(), RevisionName: name,
	}
	return revision, lock, nil
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

func findLock(app *corev1alpha1.Application, typ string) *corev1alpha1.DefinitionLock {
	for i := range app.Status.DefinitionLocks {
		if app.Status.DefinitionLocks[i].Type == typ {
			return &app.Status.DefinitionLocks[i]
		}
	}
	return nil
}

func containsLock(locks []corev1alpha1.DefinitionLock, typ string) bool {
	for _, lock := range locks {
		if lock.Type == typ {
			return true
		}
	}
	return false
}
