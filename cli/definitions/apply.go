package definitions

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// FieldManager owns what is applied here.
const FieldManager = "wheel"

// ApplyOptions say how to apply.
type ApplyOptions struct {
	// DryRun lets the API server check everything and write nothing.
	DryRun bool
	// Force takes over what other field managers own.
	Force bool
}

// Apply applies definitions in their order, and returns what became of each. One that is on the cluster as it is here is not
// written. One that is refused does not keep the others from being applied. The error is about a cluster that gives no
// answer: what comes after is then not tried.
func Apply(ctx context.Context, cluster client.Client, definitions []Definition, options ApplyOptions) ([]Result, error) {
	var results []Result
	for i, definition := range definitions {
		action, err := applyOne(ctx, cluster, definition, options)
		switch {
		case err == nil:
			results = append(results, Result{Kind: definition.Kind, Name: definition.Name, Action: action})
		case answered(err):
			results = append(results, failed(definition.Kind, definition.Name, Failed, explain(err)))
		default:
			return results, fmt.Errorf("applying %s %s: %w; %d of %d definitions were not tried: apply again when the cluster answers",
				definition.Kind, definition.Name, err, len(definitions)-i, len(definitions))
		}
	}
	return results, nil
}

func applyOne(ctx context.Context, cluster client.Client, wanted Definition, options ApplyOptions) (Action, error) {
	live, err := read(ctx, cluster, wanted.Kind, wanted.Name)
	action := Configured
	switch {
	case err != nil:
		return Failed, err
	case live == nil:
		action = Created
	case wanted.same(fromObject(live)):
		return Unchanged, nil
	}
	var writing []client.PatchOption
	if options.DryRun {
		writing = append(writing, client.DryRunAll)
	}
	if options.Force && live != nil {
		if err := takeOver(ctx, cluster, live, writing...); err != nil {
			return Failed, err
		}
		writing = append(writing, client.ForceOwnership)
	}
	applied := wanted.object()
	if err := cluster.Patch(ctx, applied, client.Apply, append(writing, client.FieldOwner(FieldManager))...); err != nil {
		return Failed, err
	}
	if options.DryRun && options.Force { // nothing was taken over, so that what others own is still there
		return action, nil
	}
	return action, checkApplied(wanted, applied)
}

// checkApplied finds what others put into the object and the folder does not have: applying leaves it there.
func checkApplied(wanted Definition, applied client.Object) error {
	left := differingParts(wanted, fromObject(applied))
	if len(left) == 0 {
		return nil
	}
	return &leftError{parts: left, managers: ownersOfSpec(applied.GetManagedFields())}
}

// read reads the object of a definition, or nil where there is none.
func read(ctx context.Context, cluster client.Client, kind, name string) (client.Object, error) {
	object := empty(kind)
	err := cluster.Get(ctx, client.ObjectKey{Name: name}, object)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return object, nil
}

func empty(kind string) client.Object {
	switch kind {
	case componentKind:
		return &corev1alpha1.ComponentDefinition{}
	case traitKind:
		return &corev1alpha1.TraitDefinition{}
	}
	return &corev1alpha1.WorkflowStepDefinition{}
}

// answered tells whether an error is an answer about one object, so that the next one may fare better.
func answered(err error) bool {
	status, left := apierrors.APIStatus(nil), (*leftError)(nil)
	return errors.As(err, &status) || errors.As(err, &left) || isNotServed(err)
}
