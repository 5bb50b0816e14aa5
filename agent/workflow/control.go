package workflow

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What people do to a run. Each function takes a run and gives the one to be stored in its place; the next pass acts on it.
// The stored run must be replaced as a whole: a patch that leaves out what is absent would keep steps that are gone.

// Suspend holds a run. What is under way on the cluster goes on, but no step is tried. The error says that the run has
// finished.
func Suspend(run Run) (Run, error) {
	if run.Finished() {
		return run, fmt.Errorf("the workflow has %s: there is nothing to suspend", run.Phase)
	}
	next := run.copy()
	next.Suspended, next.Phase, next.Message = true, PhaseSuspended, "Suspended by a person."
	return next, nil
}

// Resume lets a run go on: one that a person holds, and the steps that suspended it. The error says that nothing is
// suspended.
func Resume(run Run, now metav1.Time) (Run, error) {
	next := run.copy()
	resumed := next.Suspended
	for i := range next.Steps {
		if step := &next.Steps[i]; step.Phase == StepSuspending && step.Type != TypeStepGroup {
			resumed = true
			step.resume(now)
		}
	}
	if run.Finished() || !resumed {
		return run, fmt.Errorf("the workflow is %s: there is nothing to resume", run.Phase)
	}
	next.Suspended, next.Phase, next.Message = false, PhaseRunning, ""
	return next, nil
}

// resume ends a step that does nothing but suspend, and lets one go on whose template suspended it.
func (s *StepStatus) resume(now metav1.Time) {
	s.Reason, s.Message = "", ""
	if s.Type == TypeSuspend {
		s.Phase, s.FinishedAt = StepSucceeded, &now
		return
	}
	s.Phase = StepRunning
	for key := range s.Notes {
		if key == s.ID+".resumeTimeStamp" { // else the engine would wait for that time all the same
			s.Notes[key] = now.UTC().Format("2006-01-02T15:04:05Z07:00")
		}
	}
}

// Restart begins a run anew, from its first step. Its steps get new identities, so what earlier ones made is not taken for
// theirs. The definition may be another one than before.
func Restart(run Run, now metav1.Time) Run {
	return Run{
		EventID: run.EventID, Event: run.Event, Attempt: run.Attempt + 1, Phase: PhaseRunning, StartedAt: now,
		Leftover: append(slices.Clone(run.Leftover), givenUp(run.Steps)...),
	}
}

// RestartFrom begins a run anew from one of its steps. The steps before it keep what they returned. The error says that
// there is no such step, or that it is in a group, which can only be restarted as a whole.
func RestartFrom(run Run, name string) (Run, error) {
	next := run.copy()
	index := slices.IndexFunc(next.Steps, func(step StepStatus) bool { return step.Name == name })
	if index < 0 {
		return run, fmt.Errorf("no step %q has begun: the workflow cannot be restarted from it", name)
	}
	if group := next.Steps[index].Group; group != "" {
		return run, fmt.Errorf("step %q is in group %q: restart from the group", name, group)
	}
	for _, step := range next.Steps[index:] {
		for _, variable := range step.Outputs {
			delete(next.Variables, variable)
		}
	}
	next.Leftover = append(next.Leftover, givenUp(next.Steps[index:])...)
	next.Element, next.Steps = next.Steps[index].Element, next.Steps[:index]
	next.Attempt++
	next.Phase, next.Message, next.FinishedAt, next.Suspended = PhaseRunning, "", nil, false
	return next, nil
}

// Terminate ends a run for good. What is under way on the cluster is left as it is. The error says that the run has finished.
func Terminate(run Run, now metav1.Time) (Run, error) {
	if run.Finished() {
		return run, fmt.Errorf("the workflow has %s already", run.Phase)
	}
	next := run.copy()
	for i := range next.Steps {
		if step := &next.Steps[i]; !step.Finished() {
			step.Phase, step.Reason, step.Message = StepFailed, ReasonTerminate, "terminated by a person"
			step.FinishedAt, step.RetryAt, step.Notes = &now, nil, nil
		}
	}
	next.Leftover = append(next.Leftover, givenUp(next.Steps)...)
	next.Suspended, next.Phase, next.Message, next.FinishedAt = false, PhaseTerminated, "Terminated by a person.", &now
	return next, nil
}
