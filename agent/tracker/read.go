package tracker

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Read gives the ledger of owner, of which the namespace and name suffice, or nil when it has none. Parts that cannot be
// decoded are no error: see Damage. An error is the API server's.
func Read(ctx context.Context, reader client.Reader, owner object.Owner) (*Ledger, error) {
	return read(owner, func(name string) (*corev1alpha1.ResourceTracker, error) { return get(ctx, reader, name) })
}

// get gives the ResourceTracker of that name, or nil.
func get(ctx context.Context, reader client.Reader, name string) (*corev1alpha1.ResourceTracker, error) {
	found := &corev1alpha1.ResourceTracker{}
	err := reader.Get(ctx, client.ObjectKey{Name: name}, found)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading ResourceTracker %s: %w", name, err)
	}
	return found, nil
}

// read puts a ledger together from all objects that it has.
func read(owner object.Owner, get getter) (*Ledger, error) {
	objects, err := readObjects(owner, get)
	if len(objects) == 0 || err != nil {
		return nil, err
	}
	ledger := &Ledger{Owner: owner}
	if first := objects[0]; first != nil {
		ledger.RenderHash = first.Spec.RenderHash
	}
	for index, stored := range objects {
		part := newPart(partName(owner, index), stored)
		ledger.parts = append(ledger.parts, part)
		ledger.Resources = union(ledger.Resources, part.resources)
	}
	return ledger, nil
}

// getter gives the ResourceTracker of a name, or nil.
type getter func(name string) (*corev1alpha1.ResourceTracker, error)

// readObjects gives the objects of a ledger, nil for those that are not there. It looks for one more than the first object speaks
// of: the agent may have ended while the ledger grew or shrank, and the first object may be gone.
func readObjects(owner object.Owner, get getter) ([]*corev1alpha1.ResourceTracker, error) {
	var objects []*corev1alpha1.ResourceTracker
	found, announced := 0, 0
	for index := 0; index <= max(1, found, announced); index++ {
		stored, err := get(partName(owner, index))
		if err != nil {
			return nil, err
		}
		if stored != nil {
			found = index + 1
		}
		if index == 0 && stored != nil {
			announced = int(stored.Spec.Parts)
		}
		objects = append(objects, stored)
	}
	if found == 0 {
		return nil, nil
	}
	return objects[:max(found, announced)], nil
}

// version tells states of the objects of a ledger apart.
func version(objects []*corev1alpha1.ResourceTracker) string {
	versions := make([]string, len(objects))
	for i, stored := range objects {
		if stored != nil {
			versions[i] = stored.ResourceVersion
		}
	}
	return strings.Join(versions, ",")
}

func newPart(name string, stored *corev1alpha1.ResourceTracker) part {
	if stored == nil {
		return part{}
	}
	resources, err := decode(&stored.Spec)
	if err != nil {
		return part{stored: stored, fault: fmt.Errorf("ResourceTracker %s: %w", name, err)}
	}
	return part{stored: stored, resources: resources}
}
