package apply

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/cue"
)

// FieldManager is the name under which the agent applies.
const FieldManager = "wheelwright-agent"

// Live shows the objects that Components own, as a watch has them.
type Live interface {
	// Get gives the object, which must not be changed, or nil when the watch shows none.
	Get(ctx context.Context, kind schema.GroupVersionKind, key object.Key) (*unstructured.Unstructured, error)
	// Behind tells whether the watch of that kind has not come to resourceVersion yet.
	Behind(ctx context.Context, kind schema.GroupVersionKind, resourceVersion string) bool
}

// Applier applies and removes the objects of Components. It is safe for concurrent use; two calls for one Component must
// not overlap.
type Applier struct {
	spokeClient client.Client
	// writer has the rights of the Component that is acted for.
	writer client.Writer
	// spokeReader reads past every cache.
	spokeReader client.Reader
	live        Live
	memory      *memory
}

// NewApplier makes an Applier with an empty memory.
func NewApplier(spokeClient client.Client, spokeReader client.Reader, live Live) *Applier {
	return &Applier{spokeClient: spokeClient, writer: spokeClient, spokeReader: spokeReader, live: live, memory: newMemory()}
}

// As is the same Applier, with the same memory, that writes by another client.
func (a *Applier) As(writer client.Writer) *Applier {
	as := *a
	as.writer = writer
	return &as
}

// State is an object after Apply.
type State struct {
	Output cue.Output
	// Live is the newest that was seen of it: the answer to an apply, or what the watch shows. It must not be changed, and may
	// be nil while Settled is false.
	Live *unstructured.Unstructured
	// Settled is false until the object has been seen as the last apply made it, or newer.
	Settled bool
	// Written tells that this Apply changed it on the cluster.
	Written bool
}

// Apply makes the objects of owner live, in their order. Objects of one rank are all tried; when one of them fails, those
// of later ranks are not. The states are those of the objects that did not fail; the error, if any, is a Failures.
func (a *Applier) Apply(ctx context.Context, owner object.Owner, objects []Object) ([]State, error) {
	var states []State
	var failures Failures
	failedRank := 0
	for _, wanted := range objects {
		rank := object.Rank(wanted.Key.Group, wanted.Key.Kind)
		if len(failures) > 0 && rank > failedRank {
			break
		}
		state, err := a.applyOne(ctx, owner, wanted)
		if err != nil {
			failures = append(failures, Failure{Key: wanted.Key, Err: err})
			failedRank = rank
			continue
		}
		states = append(states, state)
	}
	if len(failures) > 0 {
		return states, failures
	}
	return states, nil
}

// Forget lets go of what is remembered of a Component that is gone.
func (a *Applier) Forget(owner object.Owner) { a.memory.forget(owner.UID) }

func (a *Applier) applyOne(ctx context.Context, owner object.Owner, wanted Object) (State, error) {
	kind := wanted.Output.Object.GroupVersionKind()
	live, err := a.live.Get(ctx, kind, wanted.Key)
	if err != nil {
		return State{}, err
	}
	last, known := a.memory.get(owner.UID, wanted.Key)
	if live == nil && cue.IsComponent(wanted.Output.Object) {
		if err := a.checkComponent(ctx, owner, wanted, last); err != nil {
			return State{}, err
		}
	}
	if err := a.checkFree(ctx, owner, live); err != nil {
		return State{}, err
	}
	if !known {
		return a.write(ctx, owner, wanted, live)
	}
	switch decide(wanted, last, live, a.live.Behind(ctx, kind, last.resourceVersion)) {
	case keep:
		return State{Output: wanted.Output, Live: live, Settled: true}, nil
	case await:
		return State{Output: wanted.Output, Live: live}, nil
	default:
		return a.write(ctx, owner, wanted, live)
	}
}

// checkFree refuses objects of other Components, and those that are on their way out.
func (a *Applier) checkFree(ctx context.Context, owner object.Owner, live *unstructured.Unstructured) error {
	if live == nil {
		return nil
	}
	if other, owned := object.OwnerOf(live.GetLabels()); owned && other.UID != owner.UID {
		exists, err := a.exists(ctx, other)
		if err != nil {
			return err
		}
		if exists {
			return &OwnedError{Owner: other, Live: live}
		}
	}
	if live.GetDeletionTimestamp() != nil {
		return &TerminatingError{Finalizers: live.GetFinalizers()}
	}
	return nil
}

// checkComponent refuses a Component that the watch does not show and that is there: what nobody rendered is a person's or the hub's,
// and not to be taken over as other objects are. The one that was applied last stays this Component's, whatever became of its labels.
func (a *Applier) checkComponent(ctx context.Context, owner object.Owner, wanted Object, last applied) error {
	there := &metav1.PartialObjectMetadata{}
	there.SetGroupVersionKind(wanted.Output.Object.GroupVersionKind())
	err := a.spokeReader.Get(ctx, client.ObjectKey{Namespace: wanted.Key.Namespace, Name: wanted.Key.Name}, there)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for a Component of that name: %w", err)
	}
	if there.Labels[corev1alpha1.ComponentUIDLabel] != string(owner.UID) && there.UID != last.uid {
		return &TakenError{}
	}
	return nil
}

// exists tells whether the Component that labels name is there. One that is gone owns nothing any more.
func (a *Applier) exists(ctx context.Context, owner object.Owner) (bool, error) {
	component := &corev1alpha1.Component{}
	err := a.spokeClient.Get(ctx, client.ObjectKey{Namespace: owner.Namespace, Name: owner.Name}, component)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the owner, Component %s/%s: %w", owner.Namespace, owner.Name, err)
	}
	return component.UID == owner.UID, nil
}

// write applies the object. Whoever else wrote its fields loses them: Wheelwright owns what it renders.
func (a *Applier) write(ctx context.Context, owner object.Owner, wanted Object, before *unstructured.Unstructured) (State, error) {
	answer := wanted.Output.Object.DeepCopy()
	err := a.writer.Patch(ctx, answer, client.Apply, client.FieldOwner(FieldManager), client.ForceOwnership)
	if err != nil {
		return State{}, fmt.Errorf("applying: %w", err)
	}
	a.memory.put(owner.UID, wanted, answer)
	changed := before == nil || before.GetResourceVersion() != answer.GetResourceVersion()
	return State{Output: wanted.Output, Live: answer, Settled: true, Written: changed}, nil
}
