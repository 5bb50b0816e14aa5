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
	def, stop := r.findDefinition(ctx, run.component)
	if stop != nil {
		return stop
	}
	template, err := r.compiler.Compile(def)
	if err != nil {
		return renderHalt(condition.ReasonDefinitionInvalid, fmt.Sprintf("ComponentDefinition %s is broken: %v.", def.Name, err))
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
		return definition.Definition{}, renderHalt(condition.ReasonDefinitionNotFound, err.Error()+".")
	}
	installed := &corev1alpha1.ComponentDefinition{}
	err = r.spokeClient.Get(ctx, client.ObjectKey{Name: reference.ObjectName()}, installed)
	if apierrors.IsNotFound(err) {
		return definition.Definition{}, renderHalt(condition.ReasonDefinitionNotFound, fmt.Sprintf(
			"ComponentDefinition %s is not installed on this cluster: install it, or change spec.type.", reference.ObjectName()))
	}
	if err != nil {
		stop := renderHalt(condition.ReasonDefinitionNotFound, fmt.Sprintf("ComponentDefinition %s cannot be read: %v.", reference.ObjectName(), err))
		stop.err = fmt.Errorf("reading ComponentDefinition %s: %w", reference.ObjectName(), err)
		return definition.Definition{}, stop
	}
	return definition.FromObject(installed), nil
}

// render checks the properties and evaluates the definition. What ran before stays as it is when that fails.
func (r *Reconciler) render(_ context.Context, run *run) *halt {
	if err := run.template.CheckParameters(render.Properties(run.component)); err != nil {
		return renderHalt(condition.ReasonInvalidProperties, fmt.Sprintf("spec.properties do not fit %s: %v.", run.component.Spec.Type, err))
	}
	rendering, err := render.Render(run.template, run.component)
	if err != nil {
		stop := renderHalt(condition.ReasonRenderFailed, fmt.Sprintf("Rendering failed: %v.", err))
		if !isDefinitionError(err) {
			stop.err = err
		}
		return stop
	}
	run.rendering = rendering
	return nil
}

func (r *Reconciler) loadTracker(ctx context.Context, run *run) *halt {
	ledger, err := r.trackers.Load(ctx, run.owner)
	if err != nil {
		return applyHalt(condition.ReasonApplyFailed, fmt.Sprintf("The record of what is applied cannot be read: %v.", err), err)
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
		stop := &halt{at: condition.Healthy, reason: condition.ReasonHealthCheckFailed, message: fmt.Sprintf("Health cannot be evaluated: %v.", err)}
		if !isDefinitionError(err) {
			stop.err = err
		}
		return stop
	}
	run.verdict = &verdict
	return nil
}

// isDefinitionError tells whether err is the fault of a definition or its input, which trying again does not mend.
func isDefinitionError(err error) bool {
	var fault *cue.Error
	return errors.As(err, &fault)
}
