package workflow_test

import (
	"encoding/json"
	"testing"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"wheelwright.dev/wheelwright/agent/workflow"
)

func (f *flow) now() metav1.Time { return metav1.NewTime(f.clock.Now()) }

func TestASuspendedRunDoesNothingUntilItIsResumed(t *testing.T) {
	f := newFlow(t, block(`{type: "helm-install"}`))
	f.answers["helm-install"] = doneAfter(2, nil)
	f.pass()
	suspended, err := workflow.Suspend(*f.event.Run)
	if err != nil {
		t.Fatal(err)
	}
	f.event.Run = &suspended
	f.clock.Step(time.Hour)
	result := f.pass()
	wantPhase(t, result.Run, workflow.PhaseSuspended)
	if result.RecheckAfter != 0 {
		t.Errorf("it is to be asked again after %s", result.RecheckAfter)
	}
	f.wantCalls("helm-install")
	resumed, err := workflow.Resume(*f.event.Run, f.now())
	if err != nil {
		t.Fatal(err)
	}
	f.event.Run = &resumed
	wantPhase(t, f.pass().Run, workflow.PhaseSucceeded)
	f.wantCalls("helm-install", "helm-install", "dispatch")
}

func TestASuspendStepWaitsForAPersonOrItsDuration(t *testing.T) {
	for name, properties := range map[string]string{
		"a person": `{message: "look at it"}`, "its duration": `{duration: "1h", message: "look at it"}`,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFlow(t, block(`{type: "suspend", properties: `+properties+`}`, `{type: "notify"}`))
			result := f.pass()
			wantPhase(t, result.Run, workflow.PhaseSuspended)
			wantMessage(t, result.Run.Message, "Step suspend: look at it")
			f.wantCalls()
			if name == "its duration" {
				if result.RecheckAfter != time.Hour {
					t.Errorf("it is to be asked again after %s, want 1h", result.RecheckAfter)
				}
				f.clock.Step(time.Hour)
			} else {
				f.clock.Step(1000 * time.Hour)
				wantPhase(t, f.pass().Run, workflow.PhaseSuspended)
				resumed, err := workflow.Resume(*f.event.Run, f.now())
				if err != nil {
					t.Fatal(err)
				}
				f.event.Run = &resumed
			}
			wantPhase(t, f.pass().Run, workflow.PhaseSucceeded)
			f.wantCalls("notify", "dispatch")
		})
	}
}

func TestASuspendStepInAGroupSuspendsTheRunAndIsResumed(t *testing.T) {
	f := newFlow(t, block(`{type: "step-group", subSteps: [{type: "suspend"}, {type: "notify"}]}`))
	wantPhase(t, f.pass().Run, workflow.PhaseSuspended)
	wantPhase(t, f.pass().Run, workflow.PhaseSuspended)
	f.wantCalls("notify")
	resumed, err := workflow.Resume(*f.event.Run, f.now())
	if err != nil {
		t.Fatal(err)
	}
	f.event.Run = &resumed
	wantPhase(t, f.pass().Run, workflow.PhaseSucceeded)
}

func TestATimedSuspendInAGroupAsksToBeWokenUp(t *testing.T) {
	f := newFlow(t, block(`{type: "step-group", subSteps: [{type: "suspend", properties: duration: "5m"}]}`))
	result := f.pass()
	wantPhase(t, result.Run, workflow.PhaseSuspended)
	if result.RecheckAfter != 5*time.Minute {
		t.Errorf("it is asked again after %s, want 5m", result.RecheckAfter)
	}
	f.clock.Step(5 * time.Minute)
	wantPhase(t, f.pass().Run, workflow.PhaseSucceeded)
}

func TestARestartIsARunOfItsOwn(t *testing.T) {
	f := newFlow(t, block(`{type: "helm-install"}`, `{type: "notify"}`))
	f.answers["notify"] = failsWith(errForGood)
	wantPhase(t, f.pass().Run, workflow.PhaseFailed)
	restarted := workflow.Restart(*f.event.Run, f.now())
	f.event.Run, f.answers["notify"] = &restarted, nil
	wantPhase(t, f.pass().Run, workflow.PhaseSucceeded)
	f.wantCalls("helm-install", "notify", "helm-install", "notify", "dispatch")
	first, second := f.seen["helm-install"][0].Identity, f.seen["helm-install"][1].Identity
	if first.Hash() == second.Hash() {
		t.Error("the restarted step has the identity of the one before: it would adopt what that one made")
	}
}

func TestARestartFromAStepKeepsThoseBeforeIt(t *testing.T) {
	f := newFlow(t, block(
		`{type: "helm-install", outputs: [{name: "url", valueFrom: "url"}]}`,
		`{type: "notify", inputs: [{from: "url", parameterKey: "to"}]}`, `{type: "refresh", if: "always"}`,
	))
	f.answers["helm-install"] = returns(map[string]any{"url": "http://x"})
	f.answers["notify"] = failsWith(errForGood)
	f.pass()
	restarted, err := workflow.RestartFrom(*f.event.Run, "notify")
	if err != nil {
		t.Fatal(err)
	}
	f.event.Run, f.answers["notify"] = throughJSON(t, restarted), nil
	wantPhase(t, f.pass().Run, workflow.PhaseSucceeded)
	f.wantCalls("helm-install", "notify", "refresh", "notify", "refresh", "dispatch")
	if _, err := workflow.RestartFrom(*f.event.Run, "nobody"); err == nil {
		t.Error("a run was restarted from a step that it does not have")
	}
}

func TestATerminatedRunDoesNothingAnyMore(t *testing.T) {
	f := newFlow(t, block(`{type: "helm-install"}`, `{type: "notify", if: "always"}`))
	f.answers["helm-install"] = doneAfter(2, nil)
	f.pass()
	terminated, err := workflow.Terminate(*f.event.Run, f.now())
	if err != nil {
		t.Fatal(err)
	}
	f.event.Run = &terminated
	result := f.pass()
	wantPhase(t, result.Run, workflow.PhaseTerminated)
	wantSteps(t, result.Run, "helm-install failed")
	f.wantCalls("helm-install")
}

func TestWhatHasFinishedCannotBeSuspendedResumedOrTerminated(t *testing.T) {
	f := newFlow(t, block(`{type: "notify"}`))
	run := f.pass().Run
	if _, err := workflow.Suspend(run); err == nil {
		t.Error("it was suspended")
	}
	if _, err := workflow.Resume(run, f.now()); err == nil {
		t.Error("it was resumed")
	}
	if _, err := workflow.Terminate(run, f.now()); err == nil {
		t.Error("it was terminated")
	}
}

func TestControlsLeaveTheRunThatTheyAreGiven(t *testing.T) {
	f := newFlow(t, block(`{type: "suspend"}`))
	run := f.pass().Run
	before := pretty(run)
	if _, err := workflow.Suspend(run); err != nil {
		t.Error(err)
	}
	if _, err := workflow.Resume(run, f.now()); err != nil {
		t.Error(err)
	}
	if _, err := workflow.Terminate(run, f.now()); err != nil {
		t.Error(err)
	}
	if _, err := workflow.RestartFrom(run, "suspend"); err != nil {
		t.Error(err)
	}
	workflow.Restart(run, f.now())
	if after := pretty(run); before != after {
		t.Errorf("the run was %s and is %s", before, after)
	}
}

// A merge patch that is made from a difference takes steps away; one of the new run alone would keep them.
func TestRestartedRunsShrinkInAPatchOfTheDifference(t *testing.T) {
	f := newFlow(t, block(`{type: "helm-install"}`, `{type: "notify"}`))
	f.pass()
	before, _ := json.Marshal(f.event.Run)
	after, _ := json.Marshal(workflow.Restart(*f.event.Run, f.now()))
	patch, err := jsonpatch.CreateMergePatch(before, after)
	if err != nil {
		t.Fatal(err)
	}
	patched, err := jsonpatch.MergePatch(before, patch)
	if err != nil {
		t.Fatal(err)
	}
	run := workflow.Run{}
	if err := json.Unmarshal(patched, &run); err != nil {
		t.Fatal(err)
	}
	if len(run.Steps) != 0 || run.FinishedAt != nil || run.Element != 0 {
		t.Errorf("the stored run is %s", patched)
	}
}

func TestARestartTakesTheDefinitionThatThereIsNow(t *testing.T) {
	f := newFlow(t, block(`{type: "helm-instal"}`))
	f.steps["helm-instal"] = "#do: \"nothing\""
	wantPhase(t, f.pass().Run, workflow.PhaseFailed)
	restarted := workflow.Restart(*f.event.Run, f.now())
	f.event.Run = &restarted
	f.event.Definition.Files["workflow.cue"] = block(`{type: "helm-install"}`)
	wantPhase(t, f.pass().Run, workflow.PhaseSucceeded)
	f.wantCalls("helm-install", "dispatch")
}

func TestARestartForgetsTheOutputsOfWhatRunsAgain(t *testing.T) {
	f := newFlow(t, block(
		`{type: "helm-install", outputs: [{name: "url", valueFrom: "url"}]}`,
		`{type: "notify", if: "always", inputs: [{from: "url", parameterKey: "to"}]}`,
	))
	f.answers["helm-install"] = returns(map[string]any{"url": "http://x"})
	f.pass()
	restarted, err := workflow.RestartFrom(*f.event.Run, "helm-install")
	if err != nil {
		t.Fatal(err)
	}
	f.event.Run, f.answers["helm-install"] = &restarted, failsWith(errForGood)
	result := f.pass()
	wantPhase(t, result.Run, workflow.PhaseFailed)
	wantMessage(t, result.Run.Steps[1].Message, `input "url" is neither`)
}
