package component

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"wheelwright.dev/wheelwright/agent/apply"
	"wheelwright.dev/wheelwright/agent/object"
	agentrender "wheelwright.dev/wheelwright/agent/render"
	"wheelwright.dev/wheelwright/agent/tracker"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/render"
)

// liveOf looks up what is live of a Component. Nothing is read or watched for it before it is asked.
func (r *Reconciler) liveOf(run *run) agentrender.Live {
	var ledger *tracker.Ledger
	asked := false
	return func(ctx context.Context, rendered *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		if !asked {
			var err error
			if ledger, err = r.trackers.Load(ctx, run.owner); err != nil {
				return nil, err
			}
			if ledger != nil {
				if err := r.watcher.Use(ctx, run.name(), kindsOf(ledger, r.served)); err != nil {
					return nil, err
				}
			}
			asked = true
		}
		return r.liveObject(ctx, run, ledger, rendered)
	}
}

// liveObject is what the tracker holds under the identity of a rendered object, as the watch shows it.
func (r *Reconciler) liveObject(
	ctx context.Context, run *run, ledger *tracker.Ledger, rendered *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	if rendered.GetAnnotations()[corev1alpha1.OwnershipAnnotation] == corev1alpha1.OwnershipReadOnly {
		return r.observedObject(ctx, run, rendered)
	}
	if ledger == nil {
		return nil, nil
	}
	for _, resource := range ledger.Resources {
		key, wanted := object.KeyOfTracked(resource), object.KeyOf(rendered)
		// A missing namespace is the Component's own, unless the kind has none.
		wanted.Namespace = cmp.Or(wanted.Namespace, run.component.Namespace)
		if key.Namespace == "" {
			wanted.Namespace = ""
		}
		kind := object.KindOfTracked(resource)
		if key != wanted || !r.served(kind) {
			continue
		}
		live, err := r.watcher.Get(ctx, kind, key)
		if err != nil || live == nil {
			return nil, err
		}
		if !object.IsOwnedBy(live.GetLabels(), run.owner) && !slices.Contains(object.Sharers(live.GetAnnotations()), run.owner) {
			return nil, nil
		}
		return live, nil
	}
	return nil, nil
}

// observedObject is what is live of an object that is only read. What cannot be resolved is said when it comes to be applied.
func (r *Reconciler) observedObject(ctx context.Context, run *run, rendered *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	outputs := []cue.Output{{Object: rendered.DeepCopy()}}
	objects, unknown := apply.Resolve(r.spokeClient.RESTMapper(), outputs, run.component.Namespace)
	if len(unknown) > 0 {
		return nil, nil
	}
	if err := r.checkReadable(ctx, run, objects[0].Output.Object); err != nil {
		return nil, err
	}
	return r.watcher.Observe(ctx, run.name(), rendered.GroupVersionKind(), objects[0].Key)
}

// awaitOutputs keeps a Component from being judged while outputs wait for what is live of others. All else is applied.
func (r *Reconciler) awaitOutputs(_ context.Context, run *run) *halt {
	pending := run.rendering.Pending()
	if len(pending) == 0 {
		return nil
	}
	return stop(condition.Applied, condition.ReasonWaitingForOutput, "%s", waitingText(pending))
}

// waitingText says what outputs wait for, each thing once.
func waitingText(pending []render.Pending) string {
	var lines []string
	said := map[string]bool{}
	for _, output := range pending {
		for _, reference := range output.Waits {
			if said[reference.Path] || len(lines) == maxNamed {
				continue
			}
			said[reference.Path] = true
			of := "another output"
			if reference.Output != "" {
				of = "output " + reference.Output
			}
			lines = append(lines, fmt.Sprintf("Waiting for %s: %s is not there yet, which output %s reads",
				of, reference.Path, output.Name))
		}
	}
	return strings.Join(lines, ". ")
}
