package workflow

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"wheelwright.dev/wheelwright/shared/cue"
)

// pass is one pass over one event.
type pass struct {
	engine *Engine
	event  Event
	run    *Run
	// now is the time of the pass, in the precision that status keeps.
	now metav1.Time
	// recheck is when another pass is useful, or 0.
	recheck time.Duration
	// outputs are context.outputs, once they were asked for.
	outputs map[string]any
}

// sequence runs the elements of the list in order, from the one that the run has come to, until a step has to wait.
func (p *pass) sequence(ctx context.Context) error {
	for {
		index := p.run.Element
		finished, more, err := p.element(ctx, int(index))
		if failure := (*FailureError)(nil); errors.As(err, &failure) {
			p.end(PhaseFailed, failure.Error())
			return nil
		}
		if err != nil || !finished {
			return err
		}
		if !more && !p.hasBoundary(anyElement) {
			p.beginAnew()
			continue
		}
		if !more {
			p.ended()
			return nil
		}
		if index == p.run.Element { // it gave no steps
			p.run.Element++
		}
	}
}

// element runs the steps of one element. It is finished when all of them are; more is false behind the last element. A run
// comes back to an element only as long as steps of it are left.
func (p *pass) element(ctx context.Context, index int) (finished, more bool, err error) {
	for i := 0; ; i++ {
		// Evaluated for each step anew, since an earlier one of the same element may have brought what this one reads.
		steps, more, err := p.evaluate(ctx, index)
		if err != nil || i >= len(steps) {
			return err == nil, more, err
		}
		if known := p.run.step(steps[i].Name); known != nil && known.Finished() {
			continue
		}
		last := i == len(steps)-1
		finished, err := p.step(ctx, place{element: index, last: last}, steps[i])
		if err != nil || !finished || p.run.Finished() {
			return false, true, err
		}
		if last {
			return true, true, nil
		}
	}
}

// evaluate gives the steps of an element, named and checked. Behind the list comes the boundary step, if the list had none.
func (p *pass) evaluate(ctx context.Context, index int) ([]Step, bool, error) {
	scope, err := p.scope(ctx)
	if err != nil {
		return nil, false, err
	}
	element, err := p.engine.options.Evaluator.Element(ctx, Query{
		Definition: p.event.Definition, Block: p.event.Kind.block(), Index: index, Scope: scope,
	})
	if wrong := (*cue.Error)(nil); errors.As(err, &wrong) {
		if p.run.failure() != nil && element.Elements > 0 {
			return nil, index < element.Elements, nil // it reads what the step that failed would have brought
		}
		return nil, false, &FailureError{Reason: ReasonRendering, Err: fmt.Errorf("workflow.%s: %w", p.event.Kind.block(), err)}
	}
	if err != nil {
		return nil, false, fmt.Errorf("evaluating workflow.%s of definition %s: %w", p.event.Kind.block(), p.event.Definition.Name, err)
	}
	steps, more := element.Steps, index < element.Elements
	if index == element.Elements && !p.hasBoundary(index) {
		steps = []Step{{Type: p.event.Kind.boundary()}}
	}
	if err := p.verify(index, steps); err != nil {
		where := fmt.Sprintf("workflow.%s[%d]", p.event.Kind.block(), index)
		return nil, false, &FailureError{Reason: ReasonRendering, Err: fmt.Errorf("%s: %w", where, err)}
	}
	return steps, more, nil
}

// again asks for another pass after a while.
func (p *pass) again(after time.Duration) {
	if after > 0 && (p.recheck == 0 || after < p.recheck) {
		p.recheck = after
	}
}

// ended brings the run to its end when no element is left.
func (p *pass) ended() {
	if failed := p.run.failure(); failed != nil {
		p.end(PhaseFailed, fmt.Sprintf("Step %s failed: %s", failed.Name, failed.Message))
		return
	}
	p.end(PhaseSucceeded, "")
}

func (p *pass) end(phase Phase, message string) {
	p.run.Phase, p.run.Message, p.run.FinishedAt = phase, bounded(message), &p.now
	p.recheck = 0
}

// conclude says what a run that goes on waits for.
func (p *pass) conclude() {
	if p.run.Finished() {
		return
	}
	p.run.Phase, p.run.Message = PhaseRunning, ""
	for i := range p.run.Steps {
		step := &p.run.Steps[i]
		switch step.Phase {
		case StepSuspending:
			p.run.Phase = PhaseSuspended
		case StepRunning, StepPending:
		default:
			continue
		}
		if step.Type != TypeStepGroup {
			p.run.Message = bounded(fmt.Sprintf("Step %s: %s", step.Name, step.Message))
		}
	}
}
