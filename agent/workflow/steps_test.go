package workflow_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"wheelwright.dev/wheelwright/agent/workflow"
)

var errForGood = &workflow.FailureError{Err: errors.New("no such chart")}

func TestIfDecidesWhetherAStepRuns(t *testing.T) {
	for name, test := range map[string]struct {
		steps []string
		phase workflow.Phase
		want  []string
	}{
		"nothing after a failure, but what always runs": {
			[]string{`{type: "helm-install"}`, `{type: "refresh"}`, `{type: "notify", if: "always"}`, `{type: "dispatch"}`},
			workflow.PhaseFailed,
			[]string{"helm-install failed", "refresh skipped", "notify succeeded", "dispatch skipped"},
		},
		"the dispatch that every list has counts as any other": {
			[]string{`{type: "helm-install"}`}, workflow.PhaseFailed, []string{"helm-install failed", "dispatch skipped"},
		},
		"an expression over the status of other steps": {
			[]string{`{type: "helm-install"}`, `{type: "notify", if: "status[\"helm-install\"].failed"}`,
				`{type: "refresh", if: "status[\"helm-install\"].succeeded"}`},
			workflow.PhaseFailed, []string{"helm-install failed", "notify succeeded", "refresh skipped", "dispatch skipped"},
		},
		"an expression over context, parameters and inputs": {
			[]string{`{type: "refresh", outputs: [{name: "size", valueFrom: "size"}]}`,
				`{type: "notify", properties: x: 1, inputs: [{from: "size"}],
					if: "context.event == \"create\" && parameter.x == 1 && inputs.size > 2"}`},
			workflow.PhaseSucceeded, []string{"refresh succeeded", "notify succeeded", "dispatch succeeded"},
		},
		"a boolean": {
			[]string{`{type: "notify", if: false}`, `{type: "refresh", if: context.event == "create"}`},
			workflow.PhaseSucceeded, []string{"notify skipped", "refresh succeeded", "dispatch succeeded"},
		},
		"one that is skipped hinders nobody": {
			[]string{`{type: "notify", if: "false"}`, `{type: "refresh"}`},
			workflow.PhaseSucceeded, []string{"notify skipped", "refresh succeeded", "dispatch succeeded"},
		},
		"but whoever depends on it": {
			[]string{`{type: "notify", if: "false"}`, `{type: "refresh", dependsOn: ["notify"]}`},
			workflow.PhaseSucceeded, []string{"notify skipped", "refresh skipped", "dispatch succeeded"},
		},
		"an expression that cannot be decided fails its step": {
			[]string{`{type: "notify", if: "status.nobody.succeeded"}`}, workflow.PhaseFailed,
			[]string{"notify failed", "dispatch skipped"},
		},
		"an element over what a failed step would have returned gives nothing": {
			[]string{`{type: "helm-install"}`, `if context.steps["helm-install"].big {type: "notify"}`, `{type: "refresh", if: "always"}`},
			workflow.PhaseFailed, []string{"helm-install failed", "refresh succeeded", "dispatch skipped"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFlow(t, block(test.steps...))
			f.answers["helm-install"] = failsWith(errForGood)
			f.answers["refresh"] = returns(map[string]any{"size": 3})
			result := f.finish()
			wantPhase(t, result.Run, test.phase)
			wantSteps(t, result.Run, test.want...)
		})
	}
}

func TestAFailedStepIsNamedWithItsReason(t *testing.T) {
	f := newFlow(t, block(`{type: "helm-install"}`))
	f.answers["helm-install"] = failsWith(errForGood)
	wantMessage(t, f.pass().Run.Message, "Step helm-install failed", "no such chart")
	f.wantCalls("helm-install")
}

func TestATimeoutEndsAStepThatWaits(t *testing.T) {
	f := newFlow(t, block(`{type: "helm-install", timeout: "90s"}`))
	f.answers["helm-install"] = doneAfter(1000, nil)
	if result := f.pass(); result.RecheckAfter != 90*time.Second {
		t.Errorf("recheck is after %s, want the timeout of 90s", result.RecheckAfter)
	}
	f.clock.Step(60 * time.Second)
	if result := f.pass(); result.RecheckAfter != 30*time.Second || result.Run.Finished() {
		t.Errorf("recheck is after %s in phase %s, want the 30s that are left", result.RecheckAfter, result.Run.Phase)
	}
	f.clock.Step(30 * time.Second)
	result := f.pass()
	wantPhase(t, result.Run, workflow.PhaseFailed)
	wantMessage(t, result.Run.Message, "did not finish within 1m30s: not yet")
	if reason := result.Run.Steps[0].Reason; reason != workflow.ReasonTimeout {
		t.Errorf("reason is %s", reason)
	}
	f.wantCalls("helm-install", "helm-install")
}

func TestAStepThatWaitsSaysWhatForAndPollsOnlyWhenAsked(t *testing.T) {
	f := newFlow(t, block(`{type: "dispatch"}`, `{type: "wait-healthy", selector: names: ["a", "b"]}`))
	f.answers["healthy a+b"] = doneAfter(3, nil)
	result := f.pass()
	wantPhase(t, result.Run, workflow.PhaseRunning)
	wantMessage(t, result.Run.Message, "Step wait-healthy: not yet")
	if result.RecheckAfter != 0 {
		t.Errorf("it is asked again after %s, want events only", result.RecheckAfter)
	}
	wantPhase(t, f.finish().Run, workflow.PhaseSucceeded)
	f.wantCalls("dispatch", "healthy a+b", "healthy a+b", "healthy a+b")
}

func TestWaitHealthyTakesItsSelectorWhereAuthorsPutIt(t *testing.T) {
	for _, step := range []string{
		`{type: "wait-healthy", selector: names: ["x"]}`, `{type: "wait-healthy", properties: selector: names: ["x"]}`,
		`{type: "wait-healthy", properties: names: ["x"]}`,
	} {
		f := newFlow(t, block(`{type: "dispatch"}`, step))
		wantPhase(t, f.pass().Run, workflow.PhaseSucceeded)
		f.wantCalls("dispatch", "healthy x")
	}
}

func TestGroups(t *testing.T) {
	for name, test := range map[string]struct {
		group string
		calls []string
		want  []string
	}{
		"all at once": {
			`{type: "step-group", subSteps: [{type: "helm-install"}, {type: "notify"}, {type: "refresh"}]}`,
			[]string{"helm-install", "notify", "refresh", "helm-install", "dispatch"},
			[]string{"step-group succeeded", "helm-install succeeded", "notify succeeded", "refresh succeeded", "dispatch succeeded"},
		},
		"one after the other": {
			`{type: "step-group", mode: "StepByStep", subSteps: [{type: "helm-install"}, {type: "notify"}]}`,
			[]string{"helm-install", "helm-install", "notify", "dispatch"},
			[]string{"step-group succeeded", "helm-install succeeded", "notify succeeded", "dispatch succeeded"},
		},
		"by dependsOn": {
			`{type: "step-group", subSteps: [{type: "notify", dependsOn: ["helm-install"]}, {type: "helm-install"}, {type: "refresh"}]}`,
			[]string{"helm-install", "refresh", "helm-install", "notify", "dispatch"},
			[]string{"step-group succeeded", "helm-install succeeded", "refresh succeeded", "notify succeeded", "dispatch succeeded"},
		},
		"by inputs": {
			`{type: "step-group", subSteps: [
				{type: "notify", inputs: [{from: "url", parameterKey: "to"}]},
				{type: "helm-install", outputs: [{name: "url", valueFrom: "url"}]},
			]}`,
			[]string{"helm-install", "helm-install", "notify", "dispatch"},
			[]string{"step-group succeeded", "helm-install succeeded", "notify succeeded", "dispatch succeeded"},
		},
		"by context.steps": {
			`{type: "step-group", mode: "StepByStep", subSteps: [
				{type: "helm-install"}, {type: "notify", properties: to: context.steps["helm-install"].url}]}`,
			[]string{"helm-install", "helm-install", "notify", "dispatch"},
			[]string{"step-group succeeded", "helm-install succeeded", "notify succeeded", "dispatch succeeded"},
		},
		"not at all": {
			`{type: "step-group", if: "false", subSteps: [{type: "helm-install"}]}`,
			[]string{"dispatch"}, []string{"step-group skipped", "dispatch succeeded"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFlow(t, block(test.group))
			f.answers["helm-install"] = doneAfter(2, map[string]any{"url": "http://x"})
			result := f.finish()
			wantPhase(t, result.Run, workflow.PhaseSucceeded)
			f.wantCalls(test.calls...)
			wantSteps(t, result.Run, test.want...)
		})
	}
}

func TestAGroupFailsWithItsSteps(t *testing.T) {
	for name, test := range map[string]struct {
		group   string
		message string
		want    []string
	}{
		"others go on": {
			`{type: "step-group", subSteps: [{type: "helm-install"}, {type: "notify"}, {type: "refresh", dependsOn: ["helm-install"]}]}`,
			"no such chart", []string{"step-group failed", "helm-install failed", "notify succeeded", "refresh skipped", "dispatch skipped"},
		},
		"those behind it do not": {
			`{type: "step-group", mode: "StepByStep", subSteps: [{type: "helm-install"}, {type: "notify"}]}`,
			"no such chart", []string{"step-group failed", "helm-install failed", "notify skipped", "dispatch skipped"},
		},
		"a circle": {
			`{type: "step-group", subSteps: [{type: "notify", dependsOn: ["refresh"]}, {type: "refresh", dependsOn: ["notify"]}]}`,
			"these wait for each other: notify, refresh", []string{"step-group failed", "dispatch skipped"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFlow(t, block(test.group))
			f.answers["helm-install"] = failsWith(errForGood)
			result := f.finish()
			wantPhase(t, result.Run, workflow.PhaseFailed)
			wantMessage(t, result.Run.Message, test.message)
			wantSteps(t, result.Run, test.want...)
		})
	}
}

func TestAGroupThatRunsOutOfTimeTakesItsStepsAlong(t *testing.T) {
	f := newFlow(t, block(`{type: "step-group", timeout: "1m", subSteps: [{type: "helm-install"}, {type: "notify"}]}`))
	f.answers["helm-install"] = doneAfter(1000, nil)
	f.pass()
	f.clock.Step(time.Minute)
	result := f.pass()
	wantPhase(t, result.Run, workflow.PhaseFailed)
	wantSteps(t, result.Run, "step-group failed", "helm-install failed", "notify succeeded", "dispatch skipped")
}

func TestFailuresAreTriedAgainWithGrowingDelays(t *testing.T) {
	f := newFlow(t, block(`{type: "helm-install"}`))
	f.answers["helm-install"] = failsWith(errors.New("the registry is down"))
	var delays []time.Duration
	for {
		result := f.pass()
		if result.Run.Finished() {
			wantMessage(t, result.Run.Message, "failed 11 times in a row", "the registry is down")
			break
		}
		wantMessage(t, result.Run.Message, "the registry is down")
		delays = append(delays, result.RecheckAfter/time.Second)
		if early := f.pass(); early.RecheckAfter != result.RecheckAfter { // an event in between tries nothing
			t.Errorf("a pass in between asks for %s, want %s", early.RecheckAfter, result.RecheckAfter)
		}
		f.clock.Step(result.RecheckAfter)
	}
	want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60, 60}
	if len(delays) != len(want) || f.asked["helm-install"] != len(want)+1 {
		t.Fatalf("delays are %v after %d tries, want %v", delays, f.asked["helm-install"], want)
	}
	for i := range want {
		if delays[i] != want[i] {
			t.Errorf("delays are %v, want %v", delays, want)
			break
		}
	}
}

func TestRetriesBoundTheTriesAndSuccessForgetsFailures(t *testing.T) {
	f := newFlow(t, block(`{type: "helm-install", retries: 2}`))
	f.answers["helm-install"] = func(asked int) (workflow.Outcome, error) {
		if asked%3 == 0 {
			return workflow.Outcome{Progress: workflow.Progress{RecheckAfter: time.Second, Done: asked == 9}}, nil
		}
		return workflow.Outcome{}, errors.New("not now")
	}
	wantPhase(t, f.finish().Run, workflow.PhaseSucceeded)

	f = newFlow(t, block(`{type: "helm-install", retries: 0}`))
	f.answers["helm-install"] = failsWith(errors.New("not now"))
	wantPhase(t, f.finish().Run, workflow.PhaseFailed)
	f.wantCalls("helm-install")
}

func TestAnOutageOfTheClusterNeverEndsALifecycle(t *testing.T) {
	f := newFlow(t, block(`{type: "dispatch"}`))
	f.answers["dispatch"] = func(asked int) (workflow.Outcome, error) {
		if asked < 100 {
			return workflow.Outcome{}, errors.New("connection refused")
		}
		return workflow.Outcome{Progress: workflow.Progress{Done: true}}, nil
	}
	wantPhase(t, f.finish().Run, workflow.PhaseSucceeded)
}

func TestWhatIsKeptInTheStatusIsBounded(t *testing.T) {
	big := func(n int) map[string]any { return map[string]any{"text": strings.Repeat("x", n)} }
	for name, test := range map[string]struct {
		source string
		size   int
		part   string
	}{
		"returns of a step":    {block(`{type: "refresh"}`), 70 << 10, "at most 65536 are allowed"},
		"returns of all steps": {block(`for n in [1, 2, 3, 4, 5, 6] {type: "refresh"}`), 50 << 10, "at most 262144 are allowed"},
		"the state": {
			block(`for n in [1, 2, 3] {type: "refresh"}`, `{type: "set-workflow-state", properties: {
				a: context.steps.refresh.text, b: context.steps["refresh-2"].text, c: context.steps["refresh-3"].text}}`),
			50 << 10, "the workflow's state would have",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFlow(t, test.source)
			f.answers["refresh"] = returns(big(test.size))
			result := f.pass()
			wantPhase(t, result.Run, workflow.PhaseFailed)
			wantMessage(t, result.Run.Message, test.part)
		})
	}
	f := newFlow(t, block(`{type: "refresh"}`))
	f.answers["refresh"] = failsWith(errors.New(strings.Repeat("y", 10_000)))
	if n := len(f.pass().Run.Message); n > 2000 {
		t.Errorf("a message has %d bytes", n)
	}
}

func TestMessagesCanBeRedacted(t *testing.T) {
	f := newFlow(t, block(`{type: "refresh"}`))
	f.answers["refresh"] = failsWith(errors.New("the password is tiger"))
	run := f.pass().Run
	run.Redact(func(message string) string { return strings.ReplaceAll(message, "tiger", "***") })
	if shown := pretty(run); strings.Contains(shown, "tiger") || !strings.Contains(shown, "the password is ***") {
		t.Errorf("the run shows %s", shown)
	}
}

func BenchmarkAPassOfFiveSteps(b *testing.B) {
	f := newFlow(b, fiveSteps)
	f.answers["helm-install"] = returns(map[string]any{"release": "db-1"})
	engine := f.engine()
	for b.Loop() {
		result, err := engine.Run(b.Context(), f.event)
		if err != nil || result.Run.Phase != workflow.PhaseSucceeded {
			b.Fatal(err, pretty(result))
		}
	}
}
