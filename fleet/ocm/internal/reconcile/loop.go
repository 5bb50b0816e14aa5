// Package reconcile runs the control loops of the stand-ins: a queue of keys, ten workers, and
// back-off after errors.
package reconcile

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// workers is how many keys of one loop are reconciled at once. OCM measured that ten keep the
// queue of some hundred works short without a load on the API servers that would show.
const workers = 10

// Func brings the object of the key to where it should be. It is called again after the
// returned time, if that is not zero, and with growing back-off after an error.
type Func func(ctx context.Context, key string) (again time.Duration, err error)

// Loop runs a Func over a queue of keys; no key is reconciled twice at a time.
type Loop struct {
	// Queue takes the keys to reconcile.
	Queue workqueue.TypedRateLimitingInterface[string]

	name string
}

// New makes a loop, which must be Run. Its back-off is that of all Kubernetes controllers.
func New(name string) *Loop {
	return newLoop(name, workqueue.DefaultTypedControllerRateLimiter[string]())
}

// NewPersistent makes a loop, which must be Run, that never waits longer than the cap to try
// again. It is for keys that nothing but time will make succeed, as when a server is back.
func NewPersistent(name string, backoffCap time.Duration) *Loop {
	return newLoop(name, workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, backoffCap))
}

func newLoop(name string, backoff workqueue.TypedRateLimiter[string]) *Loop {
	return &Loop{
		name:  name,
		Queue: workqueue.NewTypedRateLimitingQueueWithConfig(backoff, workqueue.TypedRateLimitingQueueConfig[string]{Name: name}),
	}
}

// Run works the queue until ctx ends and every reconcile in flight has returned.
func (l *Loop) Run(ctx context.Context, reconcile Func) {
	stop := context.AfterFunc(ctx, l.Queue.ShutDown)
	defer stop()
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for l.next(ctx, reconcile) {
			}
		})
	}
	group.Wait()
}

// next reconciles one key and tells whether there may be more.
func (l *Loop) next(ctx context.Context, reconcile Func) bool {
	key, closed := l.Queue.Get()
	if closed {
		return false
	}
	defer l.Queue.Done(key)
	again, err := reconcile(ctx, key)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		l.report(ctx, key, err)
		l.Queue.AddRateLimited(key)
	default:
		l.Queue.Forget(key)
		if again > 0 {
			l.Queue.AddAfter(key, again)
		}
	}
	return true
}

// report logs why a key is tried again. Conflicts are the normal price of optimistic locking.
func (l *Loop) report(ctx context.Context, key string, err error) {
	logger := klog.FromContext(ctx)
	if apierrors.IsConflict(err) {
		logger.V(2).Info("Trying again after a conflict", "loop", l.name, "key", key, "err", err)
		return
	}
	logger.Error(err, "Trying again after an error", "loop", l.name, "key", key)
}
