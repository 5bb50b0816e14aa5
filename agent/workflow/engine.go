package workflow

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
)

// Options of an Engine. All of them may be left out.
type Options struct {
	// Actions are what `#do` without a #provider can name.
	Actions map[string]Action
	// Evaluator evaluates the workflow block. Default: in this process.
	Evaluator Evaluator
	// Clock is the time by which timeouts and retries go. kubevela/workflow's own suspend action goes by the system's.
	Clock clock.PassiveClock
	// StepBudget bounds what one custom step may take in one pass, its calls included. Default 10 seconds.
	StepBudget time.Duration
}

const defaultStepBudget = 10 * time.Second

// Engine runs workflows. There is one in a process; it is safe for concurrent use, but two passes over one event must not
// overlap. It keeps nothing between passes.
type Engine struct {
	options   Options
	providers *providers
}

// New makes an Engine, and sets what kubevela/workflow keeps for the whole process.
func New(options Options) (*Engine, error) {
	fence()
	if options.Evaluator == nil {
		options.Evaluator = inProcess{}
	}
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	if options.StepBudget <= 0 {
		options.StepBudget = defaultStepBudget
	}
	available, err := newProviders(options.Actions)
	if err != nil {
		return nil, err
	}
	return &Engine{options: options, providers: available}, nil
}

// Run makes one pass over an event: it runs what can run now and returns without waiting for anything else. What goes wrong
// with the workflow is in the result; an error means that the pass could not be made, and nothing is known to be wrong with
// the workflow. The result is to be kept in either case, since it says which steps have finished.
func (e *Engine) Run(ctx context.Context, event Event) (Result, error) {
	p, err := e.begin(event)
	if err != nil {
		return Result{}, err
	}
	if !p.run.Finished() && !p.run.Suspended {
		if err = p.sequence(ctx); err == nil {
			p.conclude()
		}
	}
	p.retire(ctx)
	return Result{Run: *p.run, Workflow: p.workflow(), RecheckAfter: p.recheck}, err
}

// begin takes up the run where the last pass left it, or begins one.
func (e *Engine) begin(event Event) (*pass, error) {
	if event.ID == "" || event.Component.UID == "" {
		return nil, fmt.Errorf("the event of Component %s/%s has no ID or no UID: both are needed to tell its steps from others",
			event.Component.Namespace, event.Component.Name)
	}
	p := &pass{engine: e, event: event, now: metav1.NewTime(e.options.Clock.Now().UTC().Truncate(time.Second))}
	hash := event.Definition.Hash()
	if last := event.Run; last != nil && last.EventID == event.ID {
		if last.Definition != "" && last.Definition != hash {
			return nil, fmt.Errorf("event %s began with another content of definition %s: "+
				"a definition that changes needs an event of its own", event.ID, event.Definition.Name)
		}
		copied := last.copy()
		p.run = &copied
		p.run.Definition = hash
		if p.run.Phase == PhaseSucceeded && !p.hasBoundary(anyElement) {
			p.beginAnew()
		}
		return p, nil
	}
	p.run = &Run{EventID: event.ID, Event: event.Kind, Definition: hash, Phase: PhaseRunning, StartedAt: p.now}
	if event.Run != nil {
		p.run.Leftover = append(slices.Clone(event.Run.Leftover), givenUp(event.Run.Steps)...)
	}
	return p, nil
}

// beginAnew gives up a record that no pass can have made: it came to its end without the step that every list has. Somebody
// edited it. What its steps made is found again, since they keep their identities.
func (p *pass) beginAnew() {
	*p.run = Run{
		EventID: p.run.EventID, Event: p.event.Kind, Definition: p.run.Definition, Attempt: p.run.Attempt,
		Phase: PhaseRunning, StartedAt: p.now, Leftover: p.run.Leftover,
	}
}
