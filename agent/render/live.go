package render

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"wheelwright.dev/wheelwright/agent/health"
)

// Live finds the live object that a rendered one was applied as. It is nil when there is none, or it is not the Component's.
type Live func(ctx context.Context, rendered *unstructured.Unstructured) (*unstructured.Unstructured, error)

// maxPasses bounds the length of a chain of outputs of which each reads the one before.
const maxPasses = 16

// evaluate renders, and renders again over what is live, for as long as that makes more outputs readable. Outputs see what is
// live of those only that are rendered: so what they need of each other is found in its order, whatever was there before.
func (r *Rendering) evaluate(ctx context.Context, live Live) error {
	var err error
	if r.rendered, err = r.evaluator.Render(ctx, r.work); err != nil {
		return err
	}
	found := map[string]health.Object{}
	for range maxPasses {
		readable, err := r.readable(ctx, live, found)
		if err != nil || len(readable) == len(found) {
			return err
		}
		found = readable
		work := r.work
		work.Context = health.AllLive(work.Context, slices.Collect(maps.Values(found)))
		if r.rendered, err = r.evaluator.Render(ctx, work); err != nil {
			return err
		}
		r.seen = versionsOf(found)
	}
	return nil
}

// readable are the outputs that are rendered, live, and read by others. What was found before stays as it was found.
func (r *Rendering) readable(ctx context.Context, live Live, before map[string]health.Object) (map[string]health.Object, error) {
	found := maps.Clone(before)
	for _, one := range r.rendered.Objects {
		if _, known := before[one.Name]; known || !r.rendered.Reads.Has(one.Name) {
			continue
		}
		object, err := live(ctx, one.Object)
		if err != nil {
			return nil, fmt.Errorf("reading what is live of output %s: %w", one.Name, err)
		}
		if object != nil {
			found[one.Name] = health.Object{Output: one.Output, Live: object}
		}
	}
	return found, nil
}

func versionsOf(objects map[string]health.Object) map[string]string {
	versions := make(map[string]string, len(objects))
	for name, one := range objects {
		versions[name] = one.Live.GetResourceVersion()
	}
	return versions
}

// Outdated tells whether other outputs were rendered over another version of an output's live object than this one.
func (r *Rendering) Outdated(output string, live *unstructured.Unstructured) bool {
	return live != nil && r.rendered.Reads.Has(output) && r.seen[output] != live.GetResourceVersion()
}
