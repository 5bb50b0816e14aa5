package apply

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/cue"
)

// FieldManager is the name under which the agent applies.
const FieldManager = "wheelwright-agent"

// Live shows the objects that Components own or read, as a watch has them.
type Live interface {
	// Get gives the object, which must not be changed, or nil when the watch shows none.
	Get(ctx context.Context, kind schema.GroupVersionKind, key object.Key) (*unstructured.Unstructured, error)
	// Behind tells whether the watch of that kind has not come to resourceVersion yet.
	Behind(ctx context.Context, kind schema.GroupVersionKind, resourceVersion string) bool
	// Observe gives an object of any owner, or of none, or nil. From then on the object wakes component.
	Observe(ctx context.Context, component types.NamespacedName, kind schema.GroupVersionKind, key object.Key) (*unstructured.Unstructured, error)
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
	// Absent: it was applied once, and somebody has deleted it since. There is nothing of it to judge.
	Absent bool
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
	if wanted.Policy.ReadOnly() {
		return a.observe(ctx, owner, wanted)
	}
	kind := wanted.Output.Object.GroupVersionKind()
	live, err := a.live.Get(ctx, kind, wanted.Key)
	if err != nil {
		return State{}, err
	}
	last, known := a.memory.get(owner.UID, wanted.Key)
	behind := known && a.live.Behind(ctx, kind, last.resourceVersion)
	if wanted.Policy.Once && (known || wanted.Applied || isOwned(live, owner)) {
		if state, kept := keepOnce(owner, wanted, live, behind); kept {
			return state, nil
		}
	}
	if live == nil && cue.IsComponent(wanted.Output.Object) {
		if err := a.checkComponent(ctx, owner, wanted, last); err != nil {
			return State{}, err
		}
	}
	if err := a.checkFree(ctx, owner, wanted, live); err != nil {
		if owned := (*OwnedError)(nil); errors.As(err, &owned) && wanted.Policy.Ownership == corev1alpha1.OwnershipShared {
			return a.share(ctx, owner, wanted, owned)
		}
		return State{}, err
	}
	if !known && agrees(owner, wanted, live) {
		a.memory.put(owner.UID, wanted, live)
		return State{Output: wanted.Output, Live: live, Settled: true}, nil
	}
	if !known {
		return a.write(ctx, owner, wanted, live)
	}
	switch decide(wanted, last, live, behind) {
	case keep:
		return State{Output: wanted.Output, Live: live, Settled: true}, nil
	case await:
		return State{Output: wanted.Output, Live: live}, nil
	default:
		return a.write(ctx, owner, wanted, live)
	}
}

// observe shows an object that is only read.
func (a *Applier) observe(ctx context.Context, owner object.Owner, wanted Object) (State, error) {
	component := types.NamespacedName{Namespace: owner.Namespace, Name: owner.Name}
	live, err := a.live.Observe(ctx, component, wanted.Output.Object.GroupVersionKind(), wanted.Key)
	if err != nil {
		return State{}, err
	}
	if live == nil {
		return State{}, &MissingError{}
	}
	return State{Output: wanted.Output, Live: live, Settled: true}, nil
}

// keepOnce is the state of an object that is applied once and has been. It is false for one that is another's.
func keepOnce(owner object.Owner, wanted Object, live *unstructured.Unstructured, behind bool) (State, bool) {
	switch {
	case isOwned(live, owner):
		return State{Output: wanted.Output, Live: live, Settled: true}, true
	case live == nil && behind:
		return State{Output: wanted.Output}, true
	case live == nil:
		return State{Output: wanted.Output, Absent: true}, true
	}
	return State{}, false
}

func isOwned(live *unstructured.Unstructured, owner object.Owner) bool {
	return live != nil && object.IsOwnedBy(live.GetLabels(), owner)
}
