package component

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/directive"
)

// scopeOf is what the KEP's context table offers of an event, to workflows and to templates alike. Between events it is that
// of the last one, so that no rendering changes merely because an event is over.
func (r *Reconciler) scopeOf(ctx context.Context, run *run) (workflow.Context, error) {
	target, err := decodeMap(run.work.Properties)
	if err != nil {
		return workflow.Context{}, err
	}
	event := run.event
	scope := workflow.Context{
		ParamsChanged: event.ParamsChanged, DefinitionChanged: event.DefinitionChanged, TraitsChanged: event.TraitsChanged,
		TargetParams: target, TargetAPIVersion: event.Target.APIVersion,
		CurrentParams: target, CurrentAPIVersion: event.Target.APIVersion,
	}
	if event.Current == nil {
		return scope, nil
	}
	scope.CurrentAPIVersion = event.Current.APIVersion
	scope.CurrentParams, err = r.formerParams(ctx, run, event.Current)
	return scope, err
}

// formerParams are properties that were kept of an earlier event. What they took from elsewhere is read again, and left out
// where it is not there any more.
func (r *Reconciler) formerParams(ctx context.Context, run *run, kept *corev1alpha1.ProcessedInputs) (map[string]any, error) {
	written := raw(kept.Properties)
	resolved, err := directive.Resolve(written, &spokeLookup{ctx: ctx, reconciler: r, component: run.component, reader: run.actor.Client, seen: run.seen})
	if missing := (*directive.UnresolvedError)(nil); errors.As(err, &missing) {
		if written, _, err = directive.Strip(written); err == nil {
			resolved = &directive.Resolved{Properties: written}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("resolving the properties of the event before: %w", err)
	}
	if run.resolved == nil {
		run.resolved = &directive.Resolved{}
	}
	run.resolved = run.resolved.With(resolved)
	return decodeMap(resolved.Properties)
}

// templateValues are scope as templates see it.
func templateValues(event string, scope workflow.Context, state map[string]any) map[string]any {
	return map[string]any{
		"event":         event,
		"paramsChanged": scope.ParamsChanged, "definitionChanged": scope.DefinitionChanged, "traitsChanged": scope.TraitsChanged,
		"params":         map[string]any{"current": scope.CurrentParams, "target": scope.TargetParams},
		"previousParams": scope.CurrentParams,
		"apiVersion":     map[string]any{"current": scope.CurrentAPIVersion, "target": scope.TargetAPIVersion},
		"workflow":       state,
	}
}

// decodeMap is JSON as Kubernetes objects are made of.
func decodeMap(raw []byte) (map[string]any, error) {
	decoded := map[string]any{}
	if len(raw) == 0 || string(raw) == "null" {
		return decoded, nil
	}
	if err := utiljson.Unmarshal(raw, &decoded); err != nil {
		return nil, fmt.Errorf("decoding properties: %w", err)
	}
	return decoded, nil
}

// overlaid is state with the keys that a run set laid over it.
func overlaid(state map[string]any, run *workflow.Run) map[string]any {
	merged := maps.Clone(state)
	if run == nil {
		return merged
	}
	for key, value := range run.Workflow {
		var decoded any
		_ = utiljson.Unmarshal(value.Raw, &decoded) // what is kept is JSON
		merged[key] = decoded
	}
	return merged
}

// encodeKept is value as status holds it, in the bytes that it has already where they say the same. It comes from JSON, and so
// can always be encoded.
func encodeKept(value any, before *runtime.RawExtension) *runtime.RawExtension {
	encoded, err := json.Marshal(value)
	if err != nil || before != nil && sameJSON(before.Raw, encoded) {
		return before
	}
	return &runtime.RawExtension{Raw: encoded}
}
