package workflow_test

import (
	"errors"
	"testing"
	"time"

	"wheelwright.dev/wheelwright/agent/workflow"
)

// A list always has its dispatch step. A record that came to its end without one is nobody's but a person's.
func TestARecordThatNoPassCanHaveMadeIsBegunAnew(t *testing.T) {
	for name, edit := range map[string]func(*workflow.Run){
		"at no element": func(run *workflow.Run) { run.Element = 99 },
		"succeeded":     func(run *workflow.Run) { run.Phase = workflow.PhaseSucceeded },
		"no steps":      func(run *workflow.Run) { run.Element, run.Steps = 99, nil },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFlow(t, block(`{type: "helm-install"}`, `{type: "notify"}`))
			f.answers["notify"] = doneAfter(2, nil)
			f.pass()
			edit(f.event.Run)
			wantPhase(t, f.finish().Run, workflow.PhaseSucceeded)
			f.wantCalls("helm-install", "notify", "helm-install", "notify", "dispatch")
			for made, times := range f.created {
				if times != 2 {
					t.Errorf("%s was asked for %d times under its identity, want twice", made, times)
				}
			}
		})
	}
}

func TestAClockThatIsSetBack(t *testing.T) {
	t.Run("holds no retry", func(t *testing.T) {
		f := newFlow(t, block(`{type: "helm-install"}`))
		f.answers["helm-install"] = failsWith(errors.New("not now"))
		f.pass()
		f.answers["helm-install"] = nil
		f.clock.Step(-24 * time.Hour)
		wantPhase(t, f.pass().Run, workflow.PhaseSucceeded)
	})
	t.Run("lengthens a timeout by no more than itself", func(t *testing.T) {
		f := newFlow(t, block(`{type: "helm-install", timeout: "90s"}`))
		f.answers["helm-install"] = doneAfter(1000, nil)
		f.pass()
		f.clock.Step(-24 * time.Hour)
		if result := f.pass(); result.RecheckAfter != 90*time.Second {
			t.Errorf("recheck is after %s, want the whole timeout of 90s", result.RecheckAfter)
		}
		f.clock.Step(90 * time.Second)
		wantPhase(t, f.pass().Run, workflow.PhaseFailed)
	})
}
