package application

import (
	"context"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// definitions are what an Application's components and their traits render with, by the type that they name.
type definitions struct {
	components map[string]definition.Definition
	traits     map[string]definition.Trait
}

// maxComposed bounds the types of components that the definitions of one Application may lead to.
const maxComposed = 64

// loadDefinitions returns the locked definitions while the accepted spec stands, and the live ones for a spec that is new:
// editing a definition never rolls the fleet by itself. With them come those of the components that they make. What cannot be
// loaded is a problem of the spec, not an error.
func (r *Reconciler) loadDefinitions(ctx context.Context, app *corev1alpha1.Application) (definitions, []problem, error) {
	found := definitions{components: map[string]definition.Definition{}, traits: map[string]definition.Trait{}}
	var problems []problem
	for _, component := range app.Spec.Components {
		wrong, err := r.loadOnce(ctx, app, component, found)
		if err != nil {
			return definitions{}, nil, err
		}
		for _, one := range wrong {
			one.message = fmt.Sprintf("component %q: %s", component.Name, one.message)
			problems = append(problems, one)
		}
	}
	return found, problems, nil
}

// loadOnce loads what a component renders with, unless an earlier one did.
func (r *Reconciler) loadOnce(ctx context.Context, app *corev1alpha1.Application, component corev1alpha1.ApplicationComponent, found definitions) ([]problem, error) {
	problems, err := r.loadType(ctx, app, component.Type, found)
	if err != nil {
		return nil, err
	}
	for i, trait := range component.Traits {
		wrong, err := r.loadTraitType(ctx, app, trait.Type, found)
		if err != nil {
			return nil, err
		}
		for _, one := range wrong {
			one.message = fmt.Sprintf("traits[%d]: %s", i, one.message)
			problems = append(problems, one)
		}
	}
	return problems, nil
}

// loadType loads the definition of a type, and those of the components that it makes.
func (r *Reconciler) loadType(ctx context.Context, app *corev1alpha1.Application, typ string, found definitions) ([]problem, error) {
	if _, done := found.components[typ]; done {
		return nil, nil
	}
	if len(found.components) >= maxComposed {
		return []problem{{condition.ReasonTooLarge, fmt.Sprintf(
			"the definitions lead to components of more than %d types: make the composition smaller", maxComposed)}}, nil
	}
	loaded, wrong, err := r.loadComponent(ctx, app, typ)
	if err != nil || wrong != nil {
		return problemsOf(wrong), err
	}
	found.components[typ] = loaded
	return r.loadComposed(ctx, app, loaded, found)
}

func (r *Reconciler) loadTraitType(ctx context.Context, app *corev1alpha1.Application, typ string, found definitions) ([]problem, error) {
	if _, done := found.traits[typ]; done {
		return nil, nil
	}
	loaded, wrong, err := r.loadTrait(ctx, app, typ)
	if err != nil || wrong != nil {
		return problemsOf(wrong), err
	}
	found.traits[typ] = loaded
	return r.loadComposed(ctx, app, loaded.Definition, found)
}

// loadComposed loads the definitions of the components that a definition makes.
func (r *Reconciler) loadComposed(ctx context.Context, app *corev1alpha1.Application, of definition.Definition, found definitions) ([]problem, error) {
	var problems []problem
	components, traits := cue.Composes(of)
	for _, part := range []struct {
		kind  string
		types []string
		load  func(context.Context, *corev1alpha1.Application, string, definitions) ([]problem, error)
	}{{"components", components, r.loadType}, {"traits", traits, r.loadTraitType}} {
		for _, typ := range part.types {
			wrong, err := part.load(ctx, app, typ, found)
			if err != nil {
				return nil, err
			}
			for _, one := range wrong {
				one.message = fmt.Sprintf("definition %s makes %s of type %s: %s", of.Name, part.kind, typ, one.message)
				problems = append(problems, one)
			}
		}
	}
	return problems, nil
}

func problemsOf(wrong *problem) []problem {
	if wrong == nil {
		return nil
	}
	return []problem{*wrong}
}

func (r *Reconciler) loadComponent(ctx context.Context, app *corev1alpha1.Application, typ string) (definition.Definition, *problem, error) {
	if lock := findLock(app.Status.DefinitionLocks, typ); lock != nil && app.Status.AcceptedGeneration == app.Generation {
		snapshot := &corev1alpha1.DefinitionSnapshot{}
		wrong, err := r.readLocked(ctx, app, lock, snapshot)
		return definition.FromSnapshot(snapshot), wrong, err
	}
	object := &corev1alpha1.ComponentDefinition{}
	reference, wrong, err := r.readLive(ctx, "ComponentDefinition", typ, object)
	loaded := definition.FromObject(object)
	if wrong == nil && err == nil {
		wrong = checkLine("ComponentDefinition", reference, loaded)
	}
	return loaded, wrong, err
}

func (r *Reconciler) loadTrait(ctx context.Context, app *corev1alpha1.Application, typ string) (definition.Trait, *problem, error) {
	if lock := findLock(app.Status.TraitLocks, typ); lock != nil && app.Status.AcceptedGeneration == app.Generation {
		snapshot := corev1alpha1.TraitSnapshot{}
		wrong, err := r.readLocked(ctx, app, lock, &snapshot)
		return definition.FromTraitSnapshot(snapshot), wrong, err
	}
	object := &corev1alpha1.TraitDefinition{}
	reference, wrong, err := r.readLive(ctx, "TraitDefinition", typ, object)
	loaded := definition.FromTraitObject(object)
	if wrong == nil && err == nil {
		wrong = checkLine("TraitDefinition", reference, loaded.Definition)
	}
	return loaded, wrong, err
}

// readLive reads the definition that a type names into object.
func (r *Reconciler) readLive(ctx context.Context, kind, typ string, object client.Object) (definition.Reference, *problem, error) {
	reference, err := definition.ParseReference(typ)
	if err != nil {
		return reference, &problem{condition.ReasonDefinitionNotFound, err.Error()}, nil
	}
	key := types.NamespacedName{Name: reference.ObjectName()}
	err = r.hubClient.Get(ctx, key, object)
	if apierrors.IsNotFound(err) {
		// A definition that was created just before the Application may not be in the cache yet.
		err = r.hubReader.Get(ctx, key, object)
	}
	if apierrors.IsNotFound(err) {
		wrong, err := r.unknownDefinition(ctx, kind, reference)
		return reference, wrong, err
	}
	if err != nil {
		return reference, nil, fmt.Errorf("reading %s %s: %w", kind, reference.ObjectName(), err)
	}
	return reference, nil, nil
}

func checkLine(kind string, reference definition.Reference, loaded definition.Definition) *problem {
	if reference.Line == "" || loaded.APIVersion == reference.Line {
		return nil
	}
	return &problem{condition.ReasonDefinitionNotFound, fmt.Sprintf(
		"%s %s is of API line %s, not %s", kind, loaded.Name, loaded.APIVersion, reference.Line)}
}

// unknownDefinition names what there is instead, so that a typo explains itself.
func (r *Reconciler) unknownDefinition(ctx context.Context, kind string, reference definition.Reference) (*problem, error) {
	var names []string
	switch kind {
	case "TraitDefinition":
		list := &corev1alpha1.TraitDefinitionList{}
		if err := r.hubClient.List(ctx, list); err != nil {
			return nil, fmt.Errorf("listing TraitDefinitions: %w", err)
		}
		for i := range list.Items {
			names = append(names, list.Items[i].Name)
		}
	default:
		list := &corev1alpha1.ComponentDefinitionList{}
		if err := r.hubClient.List(ctx, list); err != nil {
			return nil, fmt.Errorf("listing ComponentDefinitions: %w", err)
		}
		for i := range list.Items {
			names = append(names, list.Items[i].Name)
		}
	}
	return &problem{condition.ReasonDefinitionNotFound, fmt.Sprintf(
		"no %s is named %s; there are %s", kind, reference.ObjectName(), quoted(names))}, nil
}

// readLocked decodes the content that a lock keeps into snapshot.
func (r *Reconciler) readLocked(ctx context.Context, app *corev1alpha1.Application, lock *corev1alpha1.DefinitionLock, snapshot any) (*problem, error) {
	revision := &appsv1.ControllerRevision{}
	key := types.NamespacedName{Namespace: app.Namespace, Name: lock.RevisionName}
	err := r.hubClient.Get(ctx, key, revision)
	if apierrors.IsNotFound(err) {
		// The cache may lag behind our own creation, so the API decides.
		err = r.hubReader.Get(ctx, key, revision)
	}
	if apierrors.IsNotFound(err) {
		return &problem{condition.ReasonDefinitionNotFound, fmt.Sprintf(
			"the locked content of %s is gone (ControllerRevision %s): change the Application's spec to adopt the definition as it is now",
			lock.Type, lock.RevisionName)}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading ControllerRevision %s/%s: %w", app.Namespace, lock.RevisionName, err)
	}
	if err := json.Unmarshal(revision.Data.Raw, snapshot); err != nil {
		return nil, fmt.Errorf("decoding ControllerRevision %s/%s: %w", app.Namespace, lock.RevisionName, err)
	}
	return nil, nil
}
