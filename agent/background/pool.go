// Package background runs what an action of a workflow cannot do within a pass: it is begun by one pass and collected by a
// later one, under the step's identity.
package background

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"wheelwright.dev/wheelwright/agent/workflow"
)

const (
	// keepFor is how long the result of an operation waits for the pass that collects it. Passes come at least once a minute
	// while a step is under way; a result that nobody asks for is of an event that was given up.
	keepFor = time.Hour

	firstRecheck = 250 * time.Millisecond
	lastRecheck  = 10 * time.Second
)

// Work is one operation.
type Work struct {
	Identity workflow.Identity
	// Name says what it is in messages, such as "helm-install of release shop/db".
	Name string
	// Subject is what it changes. Two operations on one subject never run at once. Empty means nothing that is shared.
	Subject string
	// Limit ends its context.
	Limit time.Duration
	// Do does it. It must return soon after its context has ended, and must be able to run again: the process may end before
	// anybody collects what it returns.
	Do func(ctx context.Context) (map[string]any, error)
}

// Pool runs a bounded number of operations at once. It is safe for concurrent use.
type Pool struct {
	size   int
	parent context.Context
	end    context.CancelFunc
	active sync.WaitGroup

	mutex      sync.Mutex
	operations map[string]*operation
}

// operation is one run of some work. Its result is written before done is closed.
type operation struct {
	work    Work
	cancel  context.CancelFunc
	started time.Time
	done    chan struct{}
	ended   time.Time
	returns map[string]any
	err     error
}

// New makes a pool that runs at most size operations at once.
func New(size int) *Pool {
	parent, end := context.WithCancel(context.Background())
	return &Pool{size: max(size, 1), parent: parent, end: end, operations: map[string]*operation{}}
}

// Start makes the pool a part of a manager: it closes the pool when ctx ends.
func (p *Pool) Start(ctx context.Context) error {
	<-ctx.Done()
	p.Close()
	return nil
}

// Close ends all operations and waits until they have returned. Nothing begins after it.
func (p *Pool) Close() {
	p.mutex.Lock()
	p.end()
	p.mutex.Unlock()
	p.active.Wait()
}

// Cancel ends the operations of a Component and forgets what they came to. It is for events that nobody will ask about any
// more: a workflow that a person terminated, a Component that is gone.
func (p *Pool) Cancel(component types.UID) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for key, one := range p.operations {
		if one.work.Identity.Component.UID == component {
			one.cancel()
			if one.isDone() {
				delete(p.operations, key)
			}
		}
	}
}

// Advance begins the work, or tells how far it is. It never blocks. An error is that of the work, and is given once: asked
// again, the work begins anew. An operation of an earlier event on the same subject is ended first.
func (p *Pool) Advance(work Work) (workflow.Outcome, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	key := work.Identity.Hash()
	if current := p.operations[key]; current != nil {
		if !current.isDone() {
			return waits(time.Since(current.started), "%s is under way", work.Name), nil
		}
		delete(p.operations, key)
		return workflow.Outcome{Progress: workflow.Progress{Done: true}, Returns: current.returns}, current.err
	}
	if p.parent.Err() != nil {
		return waits(0, "%s waits for the next agent, since this one is ending", work.Name), nil
	}
	if other := p.on(work.Subject); other != nil {
		if other.work.Identity.EventID != work.Identity.EventID || other.work.Identity.Attempt != work.Identity.Attempt {
			other.cancel()
		}
		return waits(0, "%s waits for the end of %s", work.Name, other.work.Name), nil
	}
	if p.running() >= p.size {
		return waits(time.Second, "%s waits until fewer than %d operations are under way", work.Name, p.size), nil
	}
	p.begin(key, work)
	return waits(0, "%s is under way", work.Name), nil
}

// begin runs work on a goroutine of its own.
func (p *Pool) begin(key string, work Work) {
	p.forgetOld()
	ctx, cancel := context.WithTimeout(p.parent, work.Limit)
	begun := &operation{work: work, cancel: cancel, started: time.Now(), done: make(chan struct{})}
	p.operations[key] = begun
	p.active.Go(func() {
		defer cancel()
		returns, err := run(ctx, work)
		p.mutex.Lock()
		defer p.mutex.Unlock()
		begun.returns, begun.err, begun.ended = returns, err, time.Now()
		close(begun.done)
	})
}

// run turns a panic into an error: one broken chart must not end the agent.
func run(ctx context.Context, work Work) (returns map[string]any, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("%s broke down: %v", work.Name, failure)
		}
	}()
	return work.Do(ctx)
}

func (p *Pool) on(subject string) *operation {
	for _, one := range p.operations {
		if subject != "" && one.work.Subject == subject && !one.isDone() {
			return one
		}
	}
	return nil
}

func (p *Pool) running() int {
	running := 0
	for _, one := range p.operations {
		if !one.isDone() {
			running++
		}
	}
	return running
}

func (p *Pool) forgetOld() {
	for key, one := range p.operations {
		if one.isDone() && time.Since(one.ended) > keepFor {
			delete(p.operations, key)
		}
	}
}

func (o *operation) isDone() bool {
	select {
	case <-o.done:
		return true
	default:
		return false
	}
}

// waits asks for another pass, the later the longer something has been going on already.
func waits(elapsed time.Duration, format string, args ...any) workflow.Outcome {
	return workflow.Outcome{Progress: workflow.Progress{
		Message: fmt.Sprintf(format, args...), RecheckAfter: min(max(elapsed/2, firstRecheck), lastRecheck),
	}}
}
