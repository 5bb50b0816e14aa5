package component

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentrender "wheelwright.dev/wheelwright/agent/render"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/directive"
)

// resolve puts values in the place of from* directives, in the properties of the Component and of its traits. One that has
// no value blocks: it never reaches a definition as a map.
func (r *Reconciler) resolve(ctx context.Context, run *run) *halt {
	lookup := &spokeLookup{ctx: ctx, reconciler: r, component: run.component, reader: run.actor.Client, seen: run.seen}
	resolved, err := directive.Resolve(agentrender.Properties(run.component), lookup)
	if err != nil {
		return run.unresolved("spec.properties", err)
	}
	run.resolved = resolved
	run.work.Properties = resolved.Properties
	for i, trait := range run.work.Traits {
		ofTrait, err := directive.Resolve(trait.Properties, lookup)
		if err != nil {
			return run.unresolved(fmt.Sprintf("spec.traits[%d].properties", i), err)
		}
		run.work.Traits[i].Properties = ofTrait.Properties
		run.resolved = run.resolved.With(ofTrait)
	}
	return nil
}

// unresolved ends a pass whose properties are not known. While the workflow of an event runs, failing to read them is no verdict on
// what it is about.
func (r *run) unresolved(where string, err error) *halt {
	missing := (*directive.UnresolvedError)(nil)
	if !errors.As(err, &missing) {
		halted := stop(condition.Rendered, condition.ReasonUnresolved, "%s: %v%s", where, err, r.forbidden(err)).retrying(unlessDefinition(err))
		if r.workflowRun != nil && !r.workflowRun.Finished() {
			return halted.waiting()
		}
		return halted
	}
	halted := stop(condition.Rendered, condition.ReasonUnresolved, "%s: %v", where, missing)
	if missing.Waits() {
		return halted.waiting()
	}
	return halted
}

// spokeLookup reads what directives name, on the spoke and in the Component's own namespace only.
type spokeLookup struct {
	ctx        context.Context //nolint:containedctx // it lives as long as the one call that it is made for
	reconciler *Reconciler
	component  *corev1alpha1.Component
	// reader has the Component's rights, and reads past every cache: the agent keeps no Secrets.
	reader client.Reader
	seen   sights
}

// Parameter finds nothing: parameters are the Application's, and the hub puts their values in before it dispatches.
func (l *spokeLookup) Parameter(string) (any, bool, error) { return nil, false, nil }

// Source reads with the rights of the Component.
func (l *spokeLookup) Source(kind, name string) (map[string]any, bool, error) {
	key := types.NamespacedName{Namespace: l.component.Namespace, Name: name}
	data := map[string]any{}
	// Noted before it is read: what comes in between is then news.
	seen := sight{kind: corev1.SchemeGroupVersion.WithKind(kind), key: key}
	version, err := l.reconciler.cachedVersion(l.ctx, seen)
	if err != nil {
		return nil, false, fmt.Errorf("reading the version of %s %s: %w", kind, key, err)
	}
	l.seen.see(seen.kind, key, version)
	if kind == directive.Secret {
		secret := &corev1.Secret{}
		err = l.reader.Get(l.ctx, key, secret)
		for entry, value := range secret.Data {
			data[entry] = string(value)
		}
	} else {
		config := &corev1.ConfigMap{}
		err = l.reader.Get(l.ctx, key, config)
		for entry, value := range config.Data {
			data[entry] = value
		}
	}
	if apierrors.IsNotFound(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading %s %s: %w", kind, key, err)
	}
	return data, true, nil
}

// Dependency reads what a Component of the same namespace exports while it is healthy. A component of the same Application
// is named as there.
func (l *spokeLookup) Dependency(name string) (map[string]any, bool, error) {
	upstream := &corev1alpha1.Component{}
	key := client.ObjectKey{Namespace: l.component.Namespace, Name: siblingName(l.component, name)}
	err := l.reconciler.spokeClient.Get(l.ctx, key, upstream)
	l.seen.see(componentKind, key, upstream.ResourceVersion)
	if apierrors.IsNotFound(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading Component %s: %w", key, err)
	}
	if upstream.Status.Exports == nil || upstream.Status.IsHealthy == nil || !*upstream.Status.IsHealthy {
		return nil, false, nil
	}
	exports := map[string]any{}
	if err := json.Unmarshal(upstream.Status.Exports.Raw, &exports); err != nil {
		return nil, false, fmt.Errorf("decoding the exports of Component %s: %w", key, err)
	}
	return exports, true, nil
}

// siblingName is the Component that a name means: one of the same Application has the Application's name before its own.
func siblingName(component *corev1alpha1.Component, name string) string {
	if app := component.Labels[corev1alpha1.ApplicationLabel]; app != "" {
		return app + "-" + name
	}
	return name
}

// directiveDependencies are the Components whose exports a Component takes values from.
func directiveDependencies(component *corev1alpha1.Component) []string {
	var names []string
	for _, properties := range allProperties(component) {
		for _, name := range directive.Dependencies(properties) {
			names = append(names, siblingName(component, name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
