package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// failure tells what trying again may mend from what it does not.
func (p *pass) failure(step Step, status *StepStatus, err error) outcome {
	if permanent := (*FailureError)(nil); errors.As(err, &permanent) {
		reason := permanent.Reason
		if reason == "" {
			reason = ReasonAction
		}
		return outcome{phase: StepFailed, reason: reason, message: err.Error()}
	}
	status.Failures++
	if limit := retriesOf(step); limit >= 0 && status.Failures > limit {
		return outcome{phase: StepFailed, reason: ReasonFailedAfterRetries,
			message: fmt.Sprintf("it failed %d times in a row, the last time with: %v", status.Failures, err)}
	}
	wait := retryDelay(status.Failures)
	next := p.now
	next.Time = next.Add(wait)
	status.RetryAt = &next
	return outcome{phase: StepRunning, reason: ReasonExecute, message: err.Error(), recheck: wait}
}

// keep stores what a step that succeeded leaves for later ones.
func (p *pass) keep(step Step, result outcome) error {
	size, total := 0, 0
	returns := map[string]apiextensionsv1.JSON{}
	for _, values := range []map[string]json.RawMessage{result.returns, result.outputs} {
		for key, value := range values {
			returns[key] = apiextensionsv1.JSON{Raw: value}
			size += len(key) + len(value)
		}
	}
	if size > maxReturns {
		return failed(ReasonOutput, "it returns %d bytes, which the Component's status would have to keep; at most %d are allowed",
			size, maxReturns)
	}
	for i := range p.run.Steps {
		for _, value := range p.run.Steps[i].Returns {
			total += len(value.Raw)
		}
	}
	if size+total > maxAllReturns {
		return failed(ReasonOutput, "the steps of this event return %d bytes together; at most %d are allowed",
			size+total, maxAllReturns)
	}
	status := p.run.step(step.Name)
	status.Returns, status.Outputs = returns, sortedKeys(result.outputs)
	for name, value := range result.outputs {
		if p.run.Variables == nil {
			p.run.Variables = map[string]apiextensionsv1.JSON{}
		}
		p.run.Variables[name] = apiextensionsv1.JSON{Raw: value}
	}
	return nil
}

// save stores the run in the middle of a pass, after a step that acts where only its identity would find it again.
func (p *pass) save(ctx context.Context, step Step) error {
	if p.event.Save == nil || builtinOf(step.Type) != nil && step.Type != TypeRunJob {
		return nil
	}
	p.conclude()
	if err := p.event.Save(ctx, p.run.copy()); err != nil {
		return fmt.Errorf("storing that step %s has finished: %w", step.Name, err)
	}
	return nil
}
