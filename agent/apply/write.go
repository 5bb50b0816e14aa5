package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// clientSideManagers own what kubectl apply wrote, and what was there before anybody kept account.
var clientSideManagers = sets.New("kubectl-client-side-apply", "before-first-apply")

// write applies the object, and where a field of it is immutable, makes it again if it may.
func (a *Applier) write(ctx context.Context, owner object.Owner, wanted Object, before *unstructured.Unstructured) (State, error) {
	answer, err := a.patch(ctx, wanted)
	if refused := immutable(err); refused != nil {
		if !wanted.Policy.Recreate {
			return State{}, refused
		}
		answer, err = a.recreate(ctx, owner, wanted)
	}
	if err == nil && !isOwned(before, owner) {
		answer, err = a.adopt(ctx, wanted, answer)
	}
	if err == nil {
		answer, err = a.restoreSpec(ctx, wanted, answer)
	}
	if err != nil {
		return State{}, err
	}
	a.memory.put(owner.UID, wanted, answer)
	changed := before == nil || before.GetResourceVersion() != answer.GetResourceVersion()
	return State{Output: wanted.Output, Live: answer, Settled: true, Written: changed}, nil
}

// patch applies the object, and gives it back as the API server answers. Whoever else wrote its fields loses them: Wheelwright
// owns what it renders.
func (a *Applier) patch(ctx context.Context, wanted Object) (*unstructured.Unstructured, error) {
	answer := wanted.Output.Object.DeepCopy()
	annotations := maps.Clone(answer.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[corev1alpha1.AppliedHashAnnotation] = wanted.Hash
	answer.SetAnnotations(annotations)
	err := a.writer.Patch(ctx, answer, client.Apply, client.FieldOwner(FieldManager), client.ForceOwnership)
	if err != nil {
		return nil, fmt.Errorf("applying: %w", err)
	}
	return answer, nil
}

// restoreSpec takes away what others added to the spec of a Component. An apply leaves fields that it does not name to whoever
// set them, and a Component does nothing while it has another spec than was rendered.
func (a *Applier) restoreSpec(ctx context.Context, wanted Object, answer *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if object.SpecHashOf(answer) == object.SpecHashOf(wanted.Output.Object) {
		return answer, nil
	}
	body, err := json.Marshal([]map[string]any{
		{"op": "test", "path": "/metadata/uid", "value": answer.GetUID()},
		{"op": "replace", "path": "/spec", "value": wanted.Output.Object.Object["spec"]},
	})
	if err == nil {
		err = a.writer.Patch(ctx, answer, client.RawPatch(types.JSONPatchType, body), client.FieldOwner(FieldManager))
	}
	if err != nil {
		return nil, fmt.Errorf("taking away what others added to its spec: %w", err)
	}
	return answer, nil
}

// recreate deletes an object of owner and applies it once it is really gone. An object of somebody else is left as it is.
func (a *Applier) recreate(ctx context.Context, owner object.Owner, wanted Object) (*unstructured.Unstructured, error) {
	waits, err := a.deleteOwned(ctx, owner, object.Tracked(wanted.Output.Object))
	if err != nil {
		return nil, fmt.Errorf("deleting it to make it again: %w", err)
	}
	if waits != nil {
		return nil, waits
	}
	answer, err := a.patch(ctx, wanted)
	if refused := immutable(err); refused != nil {
		return nil, refused
	}
	return answer, err
}

// adopt makes the fields of an object that kubectl applied on the client's side ours, so that those that are not rendered go.
// Without it they would stay for good, since they would be somebody else's.
func (a *Applier) adopt(ctx context.Context, wanted Object, answer *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	for range removeTries {
		upgrade, err := csaupgrade.UpgradeManagedFieldsPatch(answer, clientSideManagers, FieldManager)
		if err != nil {
			return nil, fmt.Errorf("reading who owns its fields: %w", err)
		}
		if len(upgrade) == 0 {
			return answer, nil
		}
		err = a.writer.Patch(ctx, answer, client.RawPatch(types.JSONPatchType, upgrade))
		if err != nil && !apierrors.IsConflict(err) {
			return nil, fmt.Errorf("taking over the fields that kubectl applied: %w", err)
		}
		// Applying again takes away what is not rendered, and shows what there is to take over after a conflict.
		if answer, err = a.patch(ctx, wanted); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("it was written to by others each of the %d times that taking over its fields was tried", removeTries)
}
