package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// place is where in the list a step is.
type place struct {
	element int
	group   string
	// last is set for the last step of its element, which is done with when the step has finished.
	last bool
	// after are the steps that must not have failed; nil means all of the run.
	after []string
}

// outcome is what one try at a step has come to.
type outcome struct {
	phase   StepPhase
	reason  string
	message string
	// recheck is when to try again though nothing happens, or 0.
	recheck time.Duration
	// returns and outputs are of a step that succeeded.
	returns map[string]json.RawMessage
	outputs map[string]json.RawMessage
	// terminate ends the whole run, though the step succeeded.
	terminate bool
}

// passError ends the pass. It passes through a group, which is not to blame.
type passError struct{ err error }

func (e *passError) Error() string { return e.err.Error() }

func done(message string) outcome { return outcome{phase: StepSucceeded, message: message} }

// progressed is the outcome of an action of the caller.
func progressed(progress Progress) outcome {
	if progress.Done {
		return done(progress.Message)
	}
	return outcome{phase: StepRunning, reason: ReasonWait, message: progress.Message, recheck: progress.RecheckAfter}
}

func failed(reason, format string, args ...any) error {
	return &FailureError{Reason: reason, Err: fmt.Errorf(format, args...)}
}

// step gives a step its try. It tells whether the step has finished, in whatever way.
func (p *pass) step(ctx context.Context, at place, step Step) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	status := p.record(at, step)
	if status.StartedAt == nil {
		runs, err := p.condition(ctx, at, step)
		if err != nil {
			return p.apply(ctx, at, step, outcome{}, err)
		}
		if !runs {
			return p.apply(ctx, at, step, outcome{phase: StepSkipped, reason: ReasonSkip}, nil)
		}
		status.StartedAt = &p.now
	}
	if status.StartedAt.After(p.now.Time) { // the clock was set back, which must not lengthen a timeout
		status.StartedAt = &p.now
	}
	timeout, _ := step.timeout() // checked when the element was evaluated
	left := status.StartedAt.Add(timeout).Sub(p.now.Time)
	if timeout > 0 && left <= 0 {
		p.abandon(step.Name)
		return p.apply(ctx, at, step, outcome{}, failed(ReasonTimeout, "it did not finish within %s: %s", timeout, status.Message))
	}
	finished, err := p.due(ctx, at, step, status.RetryAt)
	if !finished && timeout > 0 {
		p.again(left)
	}
	return finished, err
}

// due tries a step, unless it failed a short while ago. One that is to wait for longer than any wait was written down before the
// clock was set back.
func (p *pass) due(ctx context.Context, at place, step Step, retryAt *metav1.Time) (bool, error) {
	if retryAt != nil {
		if left := retryAt.Sub(p.now.Time); left > 0 && left <= maxDelay {
			p.again(left)
			return false, nil
		}
	}
	result, err := p.try(ctx, at, &step)
	return p.apply(ctx, at, step, result, err)
}

// record finds the status of a step, or begins one.
func (p *pass) record(at place, step Step) *StepStatus {
	if status := p.run.step(step.Name); status != nil {
		return status
	}
	status := StepStatus{
		Name: step.Name, Type: step.Type, Group: at.group, Element: int32(at.element), Phase: StepPending,
		ID: p.identity(step.Name).Hash(),
	}
	p.run.Steps = append(p.run.Steps, status)
	return &p.run.Steps[len(p.run.Steps)-1]
}

func (p *pass) identity(step string) Identity {
	return Identity{Component: p.event.Component, EventID: p.event.ID, Step: step, Attempt: p.run.Attempt}
}

// try runs a step once.
func (p *pass) try(ctx context.Context, at place, step *Step) (outcome, error) {
	if err := p.fillInputs(ctx, step); err != nil {
		return outcome{}, err
	}
	if step.Type != TypeSetWorkflowState {
		for _, key := range sortedKeys(step.Missing) {
			return outcome{}, failed(ReasonInput, "properties.%s is not known: %s", key, step.Missing[key])
		}
	}
	if run := builtinOf(step.Type); run != nil {
		result, err := run(ctx, p, at, *step)
		if err == nil && result.phase == StepSucceeded {
			result.outputs, err = pickOutputs(step.Outputs, result.returns)
		}
		return result, err
	}
	return p.custom(ctx, *step)
}

// apply takes the outcome of a try into the run.
func (p *pass) apply(ctx context.Context, at place, step Step, result outcome, err error) (bool, error) {
	if err != nil && ctx.Err() != nil {
		return false, ctx.Err() // the step is not to blame
	}
	if ofPass := (*passError)(nil); errors.As(err, &ofPass) {
		return false, ofPass.err
	}
	if err == nil && result.phase == StepSucceeded {
		err = p.keep(step, result)
	}
	status := p.run.step(step.Name)
	if err != nil {
		result = p.failure(step, status, err)
	} else {
		status.Failures, status.RetryAt = 0, nil
	}
	status.Phase, status.Reason, status.Message = result.phase, result.reason, bounded(result.message)
	p.again(result.recheck)
	if !status.Finished() {
		return false, nil
	}
	status.FinishedAt, status.Notes = &p.now, nil
	if at.last {
		p.run.Element = int32(at.element) + 1
	}
	if result.terminate {
		p.end(PhaseTerminated, fmt.Sprintf("Step %s ended the workflow: %s", step.Name, result.message))
	}
	if result.phase == StepSkipped {
		return true, nil
	}
	return true, p.save(ctx, step)
}
