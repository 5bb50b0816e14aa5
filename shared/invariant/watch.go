package invariant

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// rewatch is how soon a watch that ended is begun anew.
const rewatch = 100 * time.Millisecond

// Watch checks every status of a Component that a cluster shows until the function that it returns is called. That gives what was
// broken. Versions that come and go while the API server is away are not seen.
func Watch(ctx context.Context, cluster client.WithWatch) (finish func() error) {
	ctx, cancel := context.WithCancel(ctx)
	seen := &history{revisions: map[types.UID]map[int64]string{}}
	var group sync.WaitGroup
	group.Go(func() {
		for ctx.Err() == nil {
			seen.follow(ctx, cluster)
			select {
			case <-time.After(rewatch):
			case <-ctx.Done():
			}
		}
	})
	return func() error {
		cancel()
		group.Wait()
		return errors.Join(seen.broken...)
	}
}

// history is what spec.revision was at each generation, and what was found broken.
type history struct {
	revisions map[types.UID]map[int64]string
	broken    []error
}

func (h *history) follow(ctx context.Context, cluster client.WithWatch) {
	events, err := cluster.Watch(ctx, &corev1alpha1.ComponentList{})
	if err != nil {
		return // it is tried again
	}
	defer events.Stop()
	for event := range events.ResultChan() {
		if component, ok := event.Object.(*corev1alpha1.Component); ok {
			h.check(component)
		}
	}
}

func (h *history) check(component *corev1alpha1.Component) {
	known := h.revisions[component.UID]
	if known == nil {
		known = map[int64]string{}
		h.revisions[component.UID] = known
	}
	known[component.Generation] = component.Spec.Revision
	revision := func(generation int64) string { return known[generation] }
	if _, seen := known[component.Status.ObservedGeneration]; !seen {
		revision = nil // it was made before this watch began
	}
	for _, broken := range OfComponent(component, revision) {
		h.broken = append(h.broken, fmt.Errorf("component %s/%s at resource version %s: %s",
			component.Namespace, component.Name, component.ResourceVersion, broken))
	}
}
