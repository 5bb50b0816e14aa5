package dispatch

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// Dispatcher brings objects to clusters and reads back how they stand. Package ocm implements it.
type Dispatcher interface {
	// Deliver makes the cluster carry the delivery. It returns *ClaimedError or ErrTerminating where its name is taken,
	// and writes nothing when the cluster carries this content already.
	Deliver(ctx context.Context, d Delivery) error
	// Read says what is known of a delivery, as far as this process has heard.
	Read(ctx context.Context, wanted Delivery) (Reading, error)
	// ReadLive is Read from the hub's API itself, for a decision that opens a gate.
	ReadLive(ctx context.Context, wanted Delivery) (Reading, error)

	// Owned lists the works of an owner.
	Owned(ctx context.Context, owner types.UID) ([]Work, error)
	// Withdraw deletes a work, and with it its object. The work stays listed, Deleting, for as long as the object does.
	Withdraw(ctx context.Context, work Work) error

	// EnsureNamespace brings a namespace to a cluster.
	EnsureNamespace(ctx context.Context, cluster, namespace string) error
	// ReleaseNamespace drops the work of a namespace that nothing delivered to that cluster needs any more. The namespace
	// itself stays.
	ReleaseNamespace(ctx context.Context, cluster, namespace string) error
}

// Work is one work of an owner.
type Work struct {
	UID     types.UID
	Cluster string
	Name    string
	// Object for people.
	Object string
	// Namespace that it needs on the spoke, empty for a cluster-scoped object.
	Namespace string
	// Deleting: withdrawn, and its object not confirmed gone.
	Deleting bool
}

// ClaimedError says that another owner delivers the same object to the same cluster.
type ClaimedError struct {
	// Object for people.
	Object  string
	Cluster string
	// By names the other owner.
	By string
}

func (e *ClaimedError) Error() string {
	return fmt.Sprintf("%s on cluster %s is delivered by %s: rename one of the two, or delete the other", e.Object, e.Cluster, e.By)
}

// ErrTerminating says that the work of that name is being deleted. Its end is an event, so waiting for it needs no timer.
var ErrTerminating = errors.New("its former work is still being deleted")
