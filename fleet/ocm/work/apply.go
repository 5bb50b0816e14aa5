package work

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	workv1 "open-cluster-management.io/api/work/v1"
)

// fieldManager owns the fields that the agent writes, unless a work names another manager.
const fieldManager = workv1.DefaultFieldManager

// outcome is what came of applying one manifest.
type outcome struct {
	meta workv1.ManifestResourceMeta
	live *unstructured.Unstructured // the object as the apply left it; nil when it was not written or read
	err  error
}

// fieldConflict is a server-side apply that somebody else's fields stood in the way of. Trying
// again soon would not help, so it is only reported.
type fieldConflict struct{ cause error }

func (e *fieldConflict) Error() string { return e.cause.Error() }

// applier applies manifests to the spoke by their update strategies.
type applier struct {
	spokeClient spokeClient
	unchanged   *applyCache
}

// applyAll applies the manifests in the order of their kinds and returns the outcomes in the
// order of the work. A manifest that fails does not stop the others.
func (a *applier) applyAll(ctx context.Context, work *manifestWork, manifests []manifest, owner metav1.OwnerReference) []outcome {
	outcomes := make([]outcome, len(manifests))
	for _, m := range inApplyOrder(manifests) {
		result := outcome{meta: m.meta, err: m.err}
		if m.err == nil {
			want := ownership{reference: owner, released: orphaned(m.meta, work.Spec.DeleteOption)}
			result.live, result.err = a.apply(ctx, m, want, selectConfig(m.meta, work.Spec.ManifestConfigs))
		}
		outcomes[m.meta.Ordinal] = result
	}
	return outcomes
}

// apply returns the live object, which is nil under ReadOnly: nothing was asked.
func (a *applier) apply(ctx context.Context, m manifest, want ownership, config manifestConfig) (*unstructured.Unstructured, error) {
	strategy := workv1.UpdateStrategy{Type: workv1.UpdateStrategyTypeUpdate}
	if config.UpdateStrategy != nil {
		strategy = *config.UpdateStrategy
	}
	switch strategy.Type {
	case workv1.UpdateStrategyTypeReadOnly:
		return nil, nil
	case workv1.UpdateStrategyTypeCreateOnly:
		return a.createOnly(ctx, m, want)
	case workv1.UpdateStrategyTypeServerSideApply:
		return a.serverSideApply(ctx, m, want, strategy.ServerSideApply)
	default:
		return a.update(ctx, m, want)
	}
}

// createOnly creates the object when it is absent; when it is there, only its owner is seen to.
func (a *applier) createOnly(ctx context.Context, m manifest, want ownership) (*unstructured.Unstructured, error) {
	live, err := a.spokeClient.get(ctx, m.meta)
	if apierrors.IsNotFound(err) {
		return a.create(ctx, m, want)
	}
	if err != nil {
		return nil, err
	}
	return a.spokeClient.setOwner(ctx, m.meta, live, want)
}

func (a *applier) create(ctx context.Context, m manifest, want ownership) (*unstructured.Unstructured, error) {
	return a.spokeClient.of(m.meta).Create(ctx, toCreate(m.object, want), metav1.CreateOptions{})
}

// serverSideApply sends the manifest as it is. The owner is merged by a patch of its own: in
// the applied fields, two works with one field manager would take each other's owner away.
func (a *applier) serverSideApply(
	ctx context.Context, m manifest, want ownership, config *workv1.ServerSideApplyConfig,
) (*unstructured.Unstructured, error) {
	options := metav1.ApplyOptions{FieldManager: fieldManager}
	if config != nil {
		options.Force = config.Force
		options.FieldManager = orDefault(config.FieldManager, fieldManager)
	}
	// A null creation time makes the API server raise the generation at each apply.
	dropNullCreationTimes(m.object.Object)
	live, err := a.spokeClient.of(m.meta).Apply(ctx, m.meta.Name, m.object, options)
	if apierrors.IsConflict(err) {
		return nil, &fieldConflict{cause: err}
	}
	if err != nil {
		return nil, err
	}
	return a.spokeClient.setOwner(ctx, m.meta, live, want)
}

func dropNullCreationTimes(value any) {
	switch value := value.(type) {
	case map[string]any:
		if metadata, ok := value["metadata"].(map[string]any); ok {
			if created, found := metadata["creationTimestamp"]; found && created == nil {
				delete(metadata, "creationTimestamp")
			}
		}
		for _, nested := range value {
			dropNullCreationTimes(nested)
		}
	case []any:
		for _, item := range value {
			dropNullCreationTimes(item)
		}
	}
}

// retryable joins the errors that are worth trying again soon.
func retryable(outcomes []outcome) error {
	var errs []error
	for _, result := range outcomes {
		var conflict *fieldConflict
		if result.err != nil && !errors.As(result.err, &conflict) {
			errs = append(errs, result.err)
		}
	}
	return errors.Join(errs...)
}
