package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// stepGroup gives each of its sub-steps a try whose turn has come. In mode DAG, which is the default, that is all of them
// whose dependsOn and inputs are there; in mode StepByStep it is the first one that has not finished.
func stepGroup(ctx context.Context, p *pass, at place, group Step) (outcome, error) {
	for tried := map[string]bool{}; ; {
		next := p.nextInGroup(group, tried)
		if next < 0 {
			return p.groupOutcome(group), nil
		}
		// Evaluated anew, since another sub-step may have brought what this one reads.
		fresh, err := p.evaluateAgain(ctx, at.element, group.Name)
		if err != nil {
			return outcome{}, err
		}
		if next >= len(fresh.SubSteps) || fresh.SubSteps[next].Name != group.SubSteps[next].Name {
			return outcome{}, failed(ReasonRendering, "its subSteps changed while it ran")
		}
		tried[group.SubSteps[next].Name] = true
		inGroup := place{element: at.element, group: group.Name, after: before(group, next)}
		if _, err := p.step(ctx, inGroup, fresh.SubSteps[next]); err != nil {
			return outcome{}, &passError{err}
		}
		if p.run.Finished() { // a sub-step ended the workflow
			return done(""), nil
		}
	}
}

// before are the sub-steps whose failure hinders the one at index. In a DAG only dependsOn does.
func before(group Step, index int) []string {
	names := []string{}
	if group.Mode == modeSteps {
		for _, sub := range group.SubSteps[:index] {
			names = append(names, sub.Name)
		}
	}
	return names
}

// nextInGroup is the index of the sub-step whose turn it is in this pass, or -1.
func (p *pass) nextInGroup(group Step, tried map[string]bool) int {
	for i, sub := range group.SubSteps {
		status := p.run.step(sub.Name)
		finished := status != nil && status.Finished()
		if finished {
			continue
		}
		if !tried[sub.Name] && p.ready(group, sub) {
			return i
		}
		if group.Mode == modeSteps {
			return -1
		}
	}
	return -1
}

// ready tells whether nothing has to come first. What can never come does not count: the step then says so itself.
func (p *pass) ready(group, sub Step) bool {
	if group.Mode == modeSteps {
		return true
	}
	awaited := slices.Clone(sub.DependsOn)
	for _, input := range sub.Inputs {
		brings := func(output Output) bool { return output.Name == input.From }
		for _, other := range group.SubSteps {
			if other.Name != sub.Name && slices.ContainsFunc(other.Outputs, brings) {
				awaited = append(awaited, other.Name)
			}
		}
	}
	for _, name := range awaited {
		inGroup := slices.ContainsFunc(group.SubSteps, func(other Step) bool { return other.Name == name })
		if status := p.run.step(name); inGroup && (status == nil || !status.Finished()) {
			return false
		}
	}
	return true
}

func (p *pass) evaluateAgain(ctx context.Context, element int, name string) (Step, error) {
	steps, _, err := p.evaluate(ctx, element)
	if wrong := (*FailureError)(nil); err != nil && !errors.As(err, &wrong) {
		return Step{}, &passError{err}
	}
	if err != nil {
		return Step{}, err
	}
	index := slices.IndexFunc(steps, func(step Step) bool { return step.Name == name })
	if index < 0 {
		return Step{}, failed(ReasonRendering, "it is not in the list any more")
	}
	return steps[index], nil
}

// groupOutcome sums up the sub-steps.
func (p *pass) groupOutcome(group Step) outcome {
	var waiting, failures []string
	suspended, circular := false, true
	for _, sub := range group.SubSteps {
		switch status := p.run.step(sub.Name); {
		case status == nil:
			waiting = append(waiting, sub.Name)
		case status.Phase == StepFailed:
			failures = append(failures, fmt.Sprintf("%s: %s", sub.Name, status.Message))
		case !status.Finished():
			waiting = append(waiting, sub.Name)
			suspended, circular = suspended || status.Phase == StepSuspending, false
		}
	}
	switch {
	case len(waiting) > 0 && circular:
		return outcome{phase: StepFailed, reason: ReasonInput, message: "these wait for each other: " + strings.Join(waiting, ", ")}
	case len(waiting) > 0:
		result := outcome{phase: StepRunning, reason: ReasonWait, message: "waiting for " + strings.Join(waiting, ", ")}
		if suspended {
			result.phase, result.reason = StepSuspending, ReasonSuspend
		}
		return result
	case len(failures) > 0:
		return outcome{phase: StepFailed, reason: ReasonAction, message: strings.Join(failures, "; ")}
	}
	return done("")
}

// abandon ends what a step that ran out of time has begun.
func (p *pass) abandon(name string) {
	for i := range p.run.Steps {
		sub := &p.run.Steps[i]
		if sub.Group == name && !sub.Finished() {
			sub.Phase, sub.Reason, sub.Message = StepFailed, ReasonTimeout, "its group ran out of time"
			sub.FinishedAt, sub.Notes, sub.RetryAt = &p.now, nil, nil
		}
		if sub.Group == name || sub.Name == name {
			p.run.Leftover = append(p.run.Leftover, givenUp(p.run.Steps[i:i+1])...)
		}
	}
}
