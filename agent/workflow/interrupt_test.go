package workflow_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"wheelwright.dev/wheelwright/agent/workflow"
)

const fiveSteps = `
workflow: create: [
	{type: "helm-install"},
	{type: "step-group", subSteps: [{type: "notify"}, {type: "refresh"}]},
	{type: "set-workflow-state", properties: release: context.steps["helm-install"].release},
	{type: "dispatch"},
	if context.workflow.release == "db-1" {type: "helm-upgrade", properties: outputs: context.outputs.service.metadata.name},
]
`

var errKilled = errors.New("the process ended")

// TestARunGoesOnAfterTheProcessEnded ends the process at every place where a step has finished: before that is stored, or
// after. What an action made is found again by its identity; a step that is stored as finished is never asked again.
func TestARunGoesOnAfterTheProcessEnded(t *testing.T) {
	const saves = 4 // helm-install, notify, refresh, helm-upgrade
	for at := 1; at <= saves; at++ {
		for _, stored := range []bool{true, false} {
			t.Run(fmt.Sprintf("at step %d, stored %t", at, stored), func(t *testing.T) {
				f := newFlow(t, fiveSteps)
				f.answers["helm-install"] = returns(map[string]any{"release": "db-1"})
				saved := 0
				f.event.Save = func(_ context.Context, run workflow.Run) error {
					if saved++; saved == at {
						if stored {
							f.event.Run = throughJSON(t, run)
						}
						return errKilled
					}
					f.event.Run = throughJSON(t, run)
					return nil
				}
				if _, err := f.engine().Run(t.Context(), f.event); !errors.Is(err, errKilled) {
					t.Fatalf("the pass ended with %v", err)
				}
				result := f.finish()
				wantPhase(t, result.Run, workflow.PhaseSucceeded)
				if want := "db-1"; result.Workflow["release"] != want {
					t.Errorf("context.workflow.release is %v", result.Workflow["release"])
				}
				again := 0
				for name, times := range f.created {
					again += times - 1
					if stored && times != 1 {
						t.Errorf("%s was asked %d times", name, times)
					}
				}
				if len(f.created) != saves || !stored && again != 1 {
					t.Errorf("actions made %v, want %d things, and one of them asked for twice", f.created, saves)
				}
			})
		}
	}
}

func TestEveryPassMayBeMadeByAnotherProcess(t *testing.T) {
	f := newFlow(t, fiveSteps)
	for name, answer := range map[string]map[string]any{
		"helm-install": {"release": "db-1"}, "notify": nil, "refresh": nil, "helm-upgrade": nil,
	} {
		f.answers[name] = doneAfter(2, answer)
	}
	f.answers["dispatch"] = doneAfter(2, nil)
	wantPhase(t, f.finish().Run, workflow.PhaseSucceeded)
	for name, times := range f.asked {
		if times != 2 {
			t.Errorf("%s was asked %d times, want once until it was done and once then", name, times)
		}
	}
	if len(f.created) != 4 {
		t.Errorf("actions were asked under %d identities, want 4: %v", len(f.created), f.created)
	}
}

func TestAPassThatIsCancelledBlamesNoStep(t *testing.T) {
	f := newFlow(t, block(`{type: "helm-install", retries: 0}`))
	ctx, cancel := context.WithCancel(t.Context())
	f.answers["helm-install"] = func(int) (workflow.Outcome, error) {
		cancel()
		return workflow.Outcome{}, ctx.Err()
	}
	result, err := f.engine().Run(ctx, f.event)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the pass ended with %v", err)
	}
	if step := result.Run.Steps[0]; step.Failures != 0 || step.Finished() {
		t.Errorf("the step is %s", pretty(step))
	}
}

func TestAnEventThatIsOverAsksForNothing(t *testing.T) {
	f := newFlow(t, block(`{type: "notify"}`))
	before := pretty(f.pass().Run)
	f.calls = nil
	f.event.Loader, f.event.Actions = nil, nil // would break down if it was asked
	result := f.pass()
	if after := pretty(result.Run); before != after || result.RecheckAfter != 0 {
		t.Errorf("the run was %s and is %s", before, after)
	}
	f.wantCalls()
}
