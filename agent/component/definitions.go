package component

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentrender "wheelwright.dev/wheelwright/agent/render"
	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// loadDefinitions takes the definitions that the hub sent along, or else those that are installed here.
func (r *Reconciler) loadDefinitions(ctx context.Context, run *run) *halt {
	def, halted := r.findDefinition(ctx, run)
	if halted != nil {
		return halted
	}
	run.work = evaluate.Work{Type: run.component.Spec.Type, Definition: def, Context: agentrender.Context(run.component, r.cluster)}
	for _, trait := range run.component.Spec.Traits {
		def, halted := r.findTrait(ctx, run, trait.Type)
		if halted != nil {
			return halted
		}
		applied := evaluate.Trait{Type: trait.Type, Definition: def}
		if trait.Properties != nil {
			applied.Properties = trait.Properties.Raw
		}
		run.work.Traits = append(run.work.Traits, applied)
	}
	run.hasWorkflow = workflow.Declared(run.work.Definition)
	return nil
}

func (r *Reconciler) findDefinition(ctx context.Context, run *run) (definition.Definition, *halt) {
	if snapshot := run.component.Spec.DefinitionSnapshot; snapshot != nil {
		return definition.FromSnapshot(snapshot), nil
	}
	installed := &corev1alpha1.ComponentDefinition{}
	if halted := r.readInstalled(ctx, run, "ComponentDefinition", run.component.Spec.Type, installed); halted != nil {
		return definition.Definition{}, halted
	}
	return definition.FromObject(installed), nil
}

func (r *Reconciler) findTrait(ctx context.Context, run *run, typ string) (definition.Trait, *halt) {
	if snapshot := run.component.Spec.DefinitionSnapshot; snapshot != nil {
		for _, sent := range snapshot.Traits {
			if sent.Type == typ {
				return definition.FromTraitSnapshot(sent), nil
			}
		}
		return definition.Trait{}, stop(condition.Rendered, condition.ReasonDefinitionNotFound,
			"The definition of trait %s did not come along: definitionSnapshot.traits has none of this type", typ)
	}
	installed := &corev1alpha1.TraitDefinition{}
	if halted := r.readInstalled(ctx, run, "TraitDefinition", typ, installed); halted != nil {
		return definition.Trait{}, halted
	}
	return definition.FromTraitObject(installed), nil
}

// readInstalled reads the definition that a type names on this cluster.
func (r *Reconciler) readInstalled(ctx context.Context, run *run, kind, typ string, installed client.Object) *halt {
	reference, err := definition.ParseReference(typ)
	if err != nil {
		return stop(condition.Rendered, condition.ReasonDefinitionNotFound, "%v", err)
	}
	key := client.ObjectKey{Name: reference.ObjectName()}
	err = r.spokeClient.Get(ctx, key, installed)
	run.seen.see(corev1alpha1.GroupVersion.WithKind(kind), key, installed.GetResourceVersion())
	if apierrors.IsNotFound(err) {
		return stop(condition.Rendered, condition.ReasonDefinitionNotFound,
			"%s %s is not installed on this cluster: install it, or change the Component's spec", kind, reference.ObjectName())
	}
	if err != nil {
		err = fmt.Errorf("reading %s %s: %w", kind, reference.ObjectName(), err)
		return stop(condition.Rendered, condition.ReasonDefinitionNotFound, "The definition cannot be read: %v", err).retrying(err)
	}
	return nil
}
