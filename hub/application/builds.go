package application

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// builds keeps what each Application's components were last built to. An Application is looked at for every answer of
// every cluster, and what it wants changes with its spec and its locks alone: building and hashing a hundred components
// each time would cost more than all the rest. It holds one entry an Application.
type builds struct {
	mu   sync.Mutex
	last map[types.UID]build
}

type build struct {
	generation int64
	locks      locks
	contents   map[string]*dispatch.Content
}

func newBuilds() *builds { return &builds{last: map[types.UID]build{}} }

// of returns the contents of the Application as it is now, built if need be.
func (b *builds) of(app *corev1alpha1.Application, locked locks, found definitions) (map[string]*dispatch.Content, error) {
	b.mu.Lock()
	last, known := b.last[app.UID]
	b.mu.Unlock()
	if known && last.generation == app.Generation && last.locks.equal(locked) {
		return last.contents, nil
	}
	built, err := contents(app, found)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last[app.UID] = build{generation: app.Generation, locks: locked, contents: built}
	return built, nil
}

func (b *builds) forget(uid types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.last, uid)
}
