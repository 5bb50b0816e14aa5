package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/lru"
)

// Defaults of Options.
const (
	defaultDeadline  = 10 * time.Second
	defaultSlowAfter = time.Second
	defaultSlow      = 2
	defaultMemory    = 512 << 20
	defaultMaxCalls  = 4096
	defaultIdleAfter = time.Minute
	// maxSuspects bounds the callers that are remembered for calls that took long.
	maxSuspects = 4096
)

// Options of a Pool.
type Options struct {
	// Kind is what the workers serve, as Serve has it. It has no default.
	Kind string
	// Size is how many calls run at once. Default: one for each CPU.
	Size int
	// Deadline ends a call. Default 10 seconds.
	Deadline time.Duration
	// SlowAfter is when a call gives its place to others and goes on beside them. Default 1 second.
	SlowAfter time.Duration
	// Slow is how many calls may go on that way. Default 2.
	Slow int
	// Memory is what one worker may use, in bytes. Default 512 MiB.
	Memory uint64
	// MaxCalls is the number of calls after which a worker is replaced. Default 4096.
	MaxCalls int
	// IdleAfter ends a worker that nobody needs. Default 1 minute.
	IdleAfter time.Duration
}

func (o Options) withDefaults() Options {
	o.Size = orDefault(o.Size, runtime.GOMAXPROCS(0))
	o.Deadline = orDefault(o.Deadline, defaultDeadline)
	o.SlowAfter = orDefault(o.SlowAfter, defaultSlowAfter)
	o.Slow = orDefault(o.Slow, defaultSlow)
	o.Memory = orDefault(o.Memory, uint64(defaultMemory))
	o.MaxCalls = orDefault(o.MaxCalls, defaultMaxCalls)
	o.IdleAfter = orDefault(o.IdleAfter, defaultIdleAfter)
	return o
}

func orDefault[T int | uint64 | time.Duration](value, standard T) T {
	if value <= 0 {
		return standard
	}
	return value
}

// ErrClosed is what calls through a closed Pool end with.
var ErrClosed = errors.New("the worker processes are shut down")

// Pool calls workers, which it starts when they are needed. Questions and answers must be of types that encoding/gob takes. It
// is safe for concurrent use.
type Pool[Question, Answer any] struct {
	options Options
	// places are for calls that are not known to be slow, and slow for the others.
	places, slow chan struct{}
	// suspects are keys whose last call took long.
	suspects *lru.Cache

	mutex   sync.Mutex
	closed  bool
	idle    []*process[Question, Answer]
	running sync.WaitGroup
}

// NewPool makes a Pool. No worker is started yet.
func NewPool[Question, Answer any](options Options) *Pool[Question, Answer] {
	options = options.withDefaults()
	return &Pool[Question, Answer]{
		options: options, places: make(chan struct{}, options.Size), slow: make(chan struct{}, options.Slow), suspects: lru.New(maxSuspects),
	}
}

// Call has a worker answer question. Key says who asks: one whose calls take long has its place apart from then on, until it
// is quick again. The error is an *Exceeded when the call was ended for what it took, and ErrBusy when it takes long and too
// many such calls run already: neither it nor its caller is in the way of others.
func (p *Pool[Question, Answer]) Call(ctx context.Context, key string, question Question) (Answer, error) {
	var none Answer
	places, err := p.enter(ctx, key)
	if err != nil {
		return none, err
	}
	worker, err := p.take()
	if err != nil {
		<-places
		return none, err
	}
	defer p.running.Done()
	answered := make(chan exchanged[Answer], 1)
	go func() { answered <- worker.exchange(question) }()
	got, places, err := p.await(ctx, places, answered)
	defer func() { <-places }()
	if err != nil {
		worker.kill()
		<-answered
		if ctx.Err() == nil {
			p.suspects.Add(key, nil)
		}
		return none, err
	}
	if got.err != nil {
		worker.kill()
		p.suspects.Add(key, nil)
		return none, worker.cause(got.err, p.options)
	}
	p.giveBack(worker, got.retire)
	p.trust(key, got.took)
	return got.answer, nil
}

// enter waits for a place, but not among those that take long.
func (p *Pool[Question, Answer]) enter(ctx context.Context, key string) (chan struct{}, error) {
	if _, suspect := p.suspects.Get(key); suspect {
		return p.slow, tryEnter(p.slow)
	}
	select {
	case p.places <- struct{}{}:
		return p.places, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func tryEnter(places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	default:
		return ErrBusy
	}
}

// await waits for an answer as long as it may take. A call that takes long changes its place for one among its like, or ends
// where there is none. The place that it has in the end is given back.
func (p *Pool[Question, Answer]) await(ctx context.Context, places chan struct{}, answered chan exchanged[Answer]) (exchanged[Answer], chan struct{}, error) {
	slow, deadline := time.NewTimer(p.options.SlowAfter), time.NewTimer(p.options.Deadline)
	defer slow.Stop()
	defer deadline.Stop()
	for {
		select {
		case got := <-answered:
			return got, places, nil
		case <-slow.C:
			if places == p.slow {
				continue
			}
			if err := tryEnter(p.slow); err != nil {
				return exchanged[Answer]{}, places, err
			}
			<-places
			places = p.slow
		case <-deadline.C:
			return exchanged[Answer]{}, places, &Exceeded{Limit: LimitTime, text: fmt.Sprintf("did not end within %v", p.options.Deadline)}
		case <-ctx.Done():
			return exchanged[Answer]{}, places, ctx.Err()
		}
	}
}

// trust remembers whether a call took long.
func (p *Pool[Question, Answer]) trust(key string, took time.Duration) {
	if took < p.options.SlowAfter {
		p.suspects.Remove(key)
		return
	}
	p.suspects.Add(key, nil)
}

// take gives an idle worker, or a new one. The caller counts as running.
func (p *Pool[Question, Answer]) take() (*process[Question, Answer], error) {
	p.mutex.Lock()
	if p.closed {
		p.mutex.Unlock()
		return nil, ErrClosed
	}
	p.running.Add(1)
	if last := len(p.idle) - 1; last >= 0 {
		worker := p.idle[last]
		p.idle = p.idle[:last]
		p.mutex.Unlock()
		worker.expiry.Stop()
		return worker, nil
	}
	p.mutex.Unlock()
	worker, err := start[Question, Answer](p.options)
	if err != nil {
		p.running.Done()
		return nil, err
	}
	return worker, nil
}

// giveBack keeps a worker for the next call, or ends it when it has done its share.
func (p *Pool[Question, Answer]) giveBack(worker *process[Question, Answer], retire bool) {
	if retire || !p.keep(worker) {
		worker.kill()
	}
}

func (p *Pool[Question, Answer]) keep(worker *process[Question, Answer]) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.closed || len(p.idle) >= p.options.Size {
		return false
	}
	worker.expiry = time.AfterFunc(p.options.IdleAfter, func() { p.expire(worker) })
	p.idle = append(p.idle, worker)
	return true
}

// expire ends a worker that is still idle.
func (p *Pool[Question, Answer]) expire(worker *process[Question, Answer]) {
	p.mutex.Lock()
	index := slices.Index(p.idle, worker)
	if index >= 0 {
		p.idle = slices.Delete(p.idle, index, index+1)
	}
	p.mutex.Unlock()
	if index >= 0 {
		worker.kill()
	}
}

// Close ends all workers and waits for the calls that run. It may be called more than once.
func (p *Pool[Question, Answer]) Close() {
	p.mutex.Lock()
	p.closed = true
	for _, worker := range p.idle {
		worker.expiry.Stop()
		worker.kill()
	}
	p.idle = nil
	p.mutex.Unlock()
	p.running.Wait()
}
