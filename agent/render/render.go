// Package render turns a Component and its definition into the objects that should be on the cluster. It is pure.
package render

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/evaluate"
	"wheelwright.dev/wheelwright/shared/render"
)

// Evaluator evaluates definitions.
type Evaluator interface {
	Definitions(ctx context.Context, work evaluate.Work) error
	Prepare(ctx context.Context, work evaluate.Work) ([]byte, error)
	Render(ctx context.Context, work evaluate.Work) (*evaluate.Rendering, error)
	Judge(ctx context.Context, work evaluate.Work, rendering *evaluate.Rendering) (cue.Judgement, error)
	After(ctx context.Context, work evaluate.Work, rendering *evaluate.Rendering) ([]render.Object, error)
}

// Rendering is what a Component renders to at one generation.
type Rendering struct {
	evaluator Evaluator
	work      evaluate.Work
	// rendered is what the definitions made of it, before it was put in order and owned.
	rendered *evaluate.Rendering
	owner    object.Owner
	lineage  lineage
	// seen has the resource version of what was live of each output that others read.
	seen map[string]string

	// Outputs in the order in which they are applied. Their objects carry the owner's labels; those of namespaced kinds may
	// still lack a namespace.
	Outputs []cue.Output
	// Hash tells renderings apart.
	Hash string

	// spec is the Component's, of which those that it makes get what is common to them.
	spec corev1alpha1.ComponentSpec
}

// Render renders work for component, over what is live of it where outputs read that of others. The error is a
// *CompositionError or one of package evaluate, or is or wraps a *cue.Error, unless something is wrong with the program itself, or
// live fails.
func Render(ctx context.Context, evaluator Evaluator, work evaluate.Work, component *corev1alpha1.Component, live Live) (*Rendering, error) {
	rendering := &Rendering{evaluator: evaluator, work: work, owner: object.OwnerFor(component), lineage: lineageOf(component), spec: component.Spec}
	err := rendering.evaluate(ctx, live)
	if err != nil {
		return nil, err
	}
	if rendering.Outputs, err = rendering.own(rendering.rendered.Objects); err != nil {
		return nil, err
	}
	objects := make([]*unstructured.Unstructured, 0, len(rendering.Outputs))
	for _, output := range rendering.Outputs {
		objects = append(objects, output.Object)
	}
	if rendering.Hash, err = object.HashAll(objects); err != nil {
		return nil, err
	}
	return rendering, nil
}

// own puts objects in the order of applying and the owner's labels on them. Of an object that is there more than once the
// last counts.
func (r *Rendering) own(objects []render.Object) ([]cue.Output, error) {
	var outputs []cue.Output
	for _, one := range objects {
		if one.Replaced {
			continue
		}
		object.SetOwner(one.Object, r.owner, one.Name)
		if cue.IsComponent(one.Object) {
			if err := r.lineage.mark(one.Object); err != nil {
				return nil, err
			}
			if err := handOn(r.spec, one.Object); err != nil {
				return nil, err
			}
		}
		outputs = append(outputs, one.Output)
	}
	slices.SortStableFunc(outputs, func(a, b cue.Output) int { return cmp.Compare(rank(a), rank(b)) })
	return outputs, nil
}

// HasHealth tells whether the definition says itself when it is healthy.
func (r *Rendering) HasHealth() bool { return r.rendered.HasHealth }

// ReadsOutputs tells whether Judge needs context.Outputs.
func (r *Rendering) ReadsOutputs() bool { return r.rendered.ReadsOutputs }

// Pending are the outputs that wait for what is live of others.
func (r *Rendering) Pending() []render.Pending { return r.rendered.Pending }

// Warnings are parameters that are accepted and do nothing, in words.
func (r *Rendering) Warnings() []string { return r.rendered.Warnings }

// Judge judges what is live, by the definition and those traits that have an opinion.
func (r *Rendering) Judge(ctx context.Context, seen cue.Context) (cue.Judgement, error) {
	work := r.work
	work.Context = seen
	return r.evaluator.Judge(ctx, work, r.rendered)
}

// HasAfter tells whether traits add objects once the Component is healthy.
func (r *Rendering) HasAfter() bool { return r.rendered.HasAfter }

// After are the objects that traits add to a Component that is healthy, as Outputs are. The context is the one that it was
// judged by.
func (r *Rendering) After(ctx context.Context, seen cue.Context) ([]cue.Output, error) {
	work := r.work
	work.Context = seen
	objects, err := r.evaluator.After(ctx, work, r.rendered)
	if err != nil {
		return nil, err
	}
	return r.own(objects)
}

// Context is what definitions see of component.
func Context(component *corev1alpha1.Component, cluster Cluster) cue.Context {
	context := cue.Context{
		Name: component.Name, Namespace: component.Namespace,
		AppName:       component.Labels[corev1alpha1.ApplicationLabel],
		ComponentName: component.Labels[corev1alpha1.ApplicationComponentLabel],
	}
	revision := component.Name + "-" + contentHash(component)
	return context.With(map[string]any{"clusterVersion": cluster, "revision": revision, "appRevision": revision})
}

// contentHash changes with what a person wrote, and with nothing else: definitions of KubeVela v1 put the revision on pods,
// which must not roll for a revision that the hub minted.
func contentHash(component *corev1alpha1.Component) string {
	sum := sha256.New()
	encoder := json.NewEncoder(sum)
	for _, part := range []any{component.Spec.Type, component.Spec.Properties, component.Spec.Traits} {
		_ = encoder.Encode(part) // neither the types nor a hash can fail
	}
	return hex.EncodeToString(sum.Sum(nil)[:5])
}

// Cluster is the version of the cluster, as definitions see it.
type Cluster struct {
	Major      string `json:"major"`
	Minor      int    `json:"minor"`
	GitVersion string `json:"gitVersion"`
	Platform   string `json:"platform"`
}

// Properties are component's properties as JSON, which may be empty.
func Properties(component *corev1alpha1.Component) []byte {
	if component.Spec.Properties == nil {
		return nil
	}
	return component.Spec.Properties.Raw
}

func rank(output cue.Output) int {
	kind := output.Object.GroupVersionKind()
	return object.Rank(kind.Group, kind.Kind)
}
