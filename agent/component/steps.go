package component

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/health"
	"wheelwright.dev/wheelwright/agent/render"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// loadDefinition compiles the definition that the hub sent along, or else the one that is installed here.
func (r *Reconciler) loadDefinition(ctx context.Context, run *run) *halt {
	def, halted := r.findDefinition(ctx, run.component)
	if halted != nil {
		return halted
	}
	template, err := r.compiler.Compile(def)
	if err != nil {
		return stop(condition.Rendered, condition.ReasonDefinitionInvalid, "ComponentDefinition %s is broken: %v", def.Name, err)
	}
	run.template = template
	return nil
}

func (r *Reconciler) findDefinition(ctx context.Context, component *corev1alpha1.Component) (definition.Definition, *halt) {
	if snapshot := component.Spec.DefinitionSnapshot; snapshot != nil {
		return definition.FromSnapshot(snapshot), nil
	}
	reference, err := definition.ParseReference(component.Spec.Type)
	if err != nil {
		return definition.Definition{}, stop(condition.Rendered, condition.ReasonDefinitionNotFound, "%v", err)
	}
	installed := &corev1alpha1.ComponentDefinition{}
	err = r.spokeClient.Get(ctx, client.ObjectKey{Name: reference.ObjectName()}, installed)
	if apierrors.IsNotFound(err) {
		return definition.Definition{}, stop(condition.Rendered, condition.ReasonDefinitionNotFound,
			"ComponentDefinition %s is not installed on this cluster: install it, or change spec.type", reference.ObjectName())
	}
	if err != nil {
		err = fmt.Errorf("reading ComponentDefinition %s: %w", reference.ObjectName(), err)
		return definition.Definition{}, stop(condition.Rendered, condition.ReasonDefinitionNotFound, "The definition cannot be read: %v", err).retrying(err)
	}
	return definition.FromObject(installed), nil
}

// render checks the properties and evaluates the definition. What ran before stays as it is when that fails.
func (r *Reconciler) render(_ context.Context, run *run) *halt {
	if err := run.template.CheckParameters(render.Properties(run.component)); err != nil {
		return stop(condition.Rendered, condition.ReasonInvalidProperties, "spec.properties do not fit %s: %v", run.component.Spec.Type, err)
	}
	rendering, err := render.Render(run.template, run.component)
	if err != nil {
		return stop(condition.Rendered, condition.ReasonRenderFailed, "Rendering failed: %v", err).retrying(unlessDefinition(err))
	}
	run.rendering = rendering
	return nil
}

func (r *Reconciler) loadTracker(ctx context.Context, run *run) *halt {
	ledger, err := r.trackers.Load(ctx, run.owner)
	if err != nil {
		return stop(condition.Applied, condition.ReasonApplyFailed, "The record of what is applied cannot be read: %v", err).retrying(err)
	}
	run.ledger = ledger
	return nil
}

// judge evaluates health and, when healthy, exports.
func (r *Reconciler) judge(_ context.Context, run *run) *halt {
	objects := make([]health.Object, 0, len(run.states))
	for _, state := range run.states {
		judged := health.Object{Output: state.Output}
		if state.Settled {
			judged.Live = state.Live
		}
		objects = append(objects, judged)
	}
	verdict, err := health.Judge(run.template, render.Context(run.component), render.Properties(run.component), objects)
	if err != nil {
		return stop(condition.Healthy, condition.ReasonHealthCheckFailed, "Health cannot be evaluated: %v", err).retrying(unlessDefinition(err))
	}
	run.verdict = &verdict
	return nil
}

// unlessDefinition is err, or nil when it is the fault of a definition or its input, which trying again does not mend.
func unlessDefinition(err error) error {
	if fault := (*cue.Error)(nil); errors.As(err, &fault) {
		return nil
	}
	return err
}
