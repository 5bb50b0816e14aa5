package tracker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

var errEnded = errors.New("the agent has ended")

// ending is a client of an agent that ends with the write after so many others, which is made or not.
type ending struct {
	client.WithWatch
	writesLeft int
	lastIsMade bool
}

func (e *ending) write(made func() error) error {
	e.writesLeft--
	switch {
	case e.writesLeft > 0:
		return made()
	case e.writesLeft == 0 && e.lastIsMade:
		return errors.Join(made(), errEnded)
	}
	return errEnded
}

func newEnding(t *testing.T, objects ...corev1alpha1.ResourceTracker) *ending {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	builder := fake.NewClientBuilder().WithScheme(scheme)
	for _, one := range objects {
		builder = builder.WithObjects(&one)
	}
	e := &ending{writesLeft: 1 << 30}
	e.WithWatch = builder.WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.CreateOption) error {
			return e.write(func() error { return next.Create(ctx, object, options...) })
		},
		Update: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.UpdateOption) error {
			return e.write(func() error { return next.Update(ctx, object, options...) })
		},
		Delete: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			return e.write(func() error { return next.Delete(ctx, object, options...) })
		},
	}).Build()
	return e
}

func (e *ending) objects(t *testing.T) []corev1alpha1.ResourceTracker {
	t.Helper()
	list := &corev1alpha1.ResourceTrackerList{}
	if err := e.List(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

func hashOf(resources []corev1alpha1.TrackedResource) string {
	return fmt.Sprintf("%d up to %v", len(resources), resources[max(0, len(resources)-1):])
}

// become makes a ledger hold just resources, as a new agent does: record them, then drop what is left over. It gives back what
// must be on the ledger even where it could not go on.
func become(
	ctx context.Context, reached client.Client, resources []corev1alpha1.TrackedResource,
) ([]corev1alpha1.TrackedResource, error) {
	store := NewStore(reached)
	ledger, err := store.Load(ctx, owner)
	if err != nil {
		return nil, err
	}
	var must []corev1alpha1.TrackedResource
	if ledger != nil {
		must = ledger.Resources
	}
	recorded, err := store.Record(ctx, owner, ledger, Wanted{Hash: hashOf(resources), Resources: resources})
	if err != nil {
		return must, err
	}
	_, err = store.Drop(ctx, recorded, recorded.Leftover(resources))
	return resources, err
}

// An agent that ends at any write of a ledger of many parts, before that write or after, has lost no resource.
func TestNoWriteLosesAResource(t *testing.T) {
	all := make([]corev1alpha1.TrackedResource, 5000)
	for i := range all {
		all[i] = config(fmt.Sprintf("r%06d", i) + strings.Repeat("x", 246))
	}
	odd := slices.DeleteFunc(slices.Clone(all), func(r corev1alpha1.TrackedResource) bool { return r.Name[6]%2 == 0 })
	for name, change := range map[string]struct {
		before, after []corev1alpha1.TrackedResource
	}{
		"from nothing to many":  {nil, all},
		"from few to many":      {all[3000:3010], all},
		"from many to few":      {all, all[3000:3010]},
		"every other one stays": {all, odd},
		"others in between":     {odd, all},
		"all are others":        {all[:2450], all[2550:]},
	} {
		t.Run(name, func(t *testing.T) {
			beginning := newEnding(t)
			if _, err := become(t.Context(), beginning, change.before); err != nil {
				t.Fatal(err)
			}
			ends := 0
			for _, lastIsMade := range []bool{false, true} {
				for writes := 1; ; writes++ {
					agent := newEnding(t, beginning.objects(t)...)
					agent.writesLeft, agent.lastIsMade = writes, lastIsMade
					if !endsAndGoesOn(t, agent, change.after) {
						break
					}
					ends++
				}
			}
			if ends < 4 {
				t.Errorf("the agent ended %d times, want several", ends)
			}
		})
	}
}

// endsAndGoesOn tells whether agent ended before it was done. A new one then finds all that was recorded, and leaves no trace
// that is not needed.
func endsAndGoesOn(t *testing.T, agent *ending, wanted []corev1alpha1.TrackedResource) bool {
	t.Helper()
	must, err := become(t.Context(), agent, wanted)
	if err == nil {
		return false
	}
	if !errors.Is(err, errEnded) {
		t.Fatal(err)
	}
	agent.writesLeft = 1 << 30
	found, err := Read(t.Context(), agent, owner)
	if err != nil {
		t.Fatal(err)
	}
	if len(must) > 0 && (found == nil || !found.ContainsAll(must)) {
		t.Errorf("of %d resources on the ledger, some are lost", len(must))
	}
	if found != nil && found.RenderHash == hashOf(wanted) && !found.ContainsAll(wanted) {
		t.Error("the hash speaks of resources that are not recorded")
	}
	if found != nil && found.Damage() != nil {
		t.Errorf("an end is taken for somebody's edit: %v", found.Damage())
	}
	if _, err := become(t.Context(), agent, wanted); err != nil {
		t.Fatal(err)
	}
	found, err = Read(t.Context(), agent, owner)
	if err != nil || !slices.Equal(wanted, inOneWave(found.Resources)) || found.Damage() != nil {
		t.Fatalf("in the end there are %d resources, want %d; %v, %v", len(found.Resources), len(wanted), found.Damage(), err)
	}
	if got := len(agent.objects(t)); got != len(found.parts) {
		t.Errorf("%d objects are there, of which the ledger has %d", got, len(found.parts))
	}
	if err := NewStore(agent).Delete(t.Context(), found); err != nil {
		t.Fatal(err)
	}
	if got := len(agent.objects(t)); got != 0 {
		t.Errorf("%d objects are left behind", got)
	}
	return true
}

func TestLedgerOfTwentyThousandResources(t *testing.T) {
	all := inOrder(manyOf(20000, 253))
	cluster := newEnding(t)
	for _, resources := range [][]corev1alpha1.TrackedResource{all, all[:10]} {
		if _, err := become(t.Context(), cluster, resources); err != nil {
			t.Fatal(err)
		}
		found, err := Read(t.Context(), cluster, owner)
		if err != nil || !slices.Equal(resources, inOneWave(found.Resources)) {
			t.Fatalf("%v: there are %d resources, want %d", err, len(found.Resources), len(resources))
		}
	}
	if objects := cluster.objects(t); len(objects) != 1 || len(objects[0].Spec.Resources) != 10 {
		t.Errorf("10 resources are in %d objects, want in one that people can read", len(objects))
	}
}

// A part that somebody deleted or made unreadable is written anew, and what the others hold is never in doubt.
func TestDamagedPartsAreWrittenAnew(t *testing.T) {
	all := inOrder(manyOf(5000, 253))
	for index := range 3 {
		for name, damage := range map[string]func(*ending, *corev1alpha1.ResourceTracker) error{
			"deleted": func(cluster *ending, one *corev1alpha1.ResourceTracker) error {
				return cluster.Delete(t.Context(), one)
			},
			"edited": func(cluster *ending, one *corev1alpha1.ResourceTracker) error {
				one.Spec.Compressed = []byte("hello")
				return cluster.Update(t.Context(), one)
			},
		} {
			t.Run(fmt.Sprintf("part %d is %s", index, name), func(t *testing.T) {
				cluster := newEnding(t)
				if _, err := become(t.Context(), cluster, all); err != nil {
					t.Fatal(err)
				}
				before, err := Read(t.Context(), cluster, owner)
				if err != nil || len(before.parts) != 3 || before.Damage() != nil {
					t.Fatalf("%v: there are %d parts, want 3; %v", err, len(before.parts), before.Damage())
				}
				if err := damage(cluster, before.parts[index].stored.DeepCopy()); err != nil {
					t.Fatal(err)
				}
				damaged, err := Read(t.Context(), cluster, owner)
				if err != nil || (damaged.Damage() != nil) != (name == "edited") || len(damaged.Resources) != 5000-len(before.parts[index].resources) {
					t.Fatalf("%v: %d resources are left, damage: %v", err, len(damaged.Resources), damaged.Damage())
				}
				if _, err := become(t.Context(), cluster, all); err != nil {
					t.Fatal(err)
				}
				rebuilt, err := Read(t.Context(), cluster, owner)
				if err != nil || rebuilt.Damage() != nil || !slices.Equal(all, inOneWave(rebuilt.Resources)) {
					t.Errorf("%v: %d resources are there in the end; %v", err, len(rebuilt.Resources), rebuilt.Damage())
				}
			})
		}
	}
}

// inOneWave is resources in order, whenever each of them came to be.
func inOneWave(resources []corev1alpha1.TrackedResource) []corev1alpha1.TrackedResource {
	resources = slices.Clone(resources)
	for i := range resources {
		resources[i].Wave = 0
	}
	return inOrder(resources)
}
