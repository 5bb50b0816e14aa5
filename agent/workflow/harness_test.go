package workflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"wheelwright.dev/wheelwright/agent/workflow"
	"wheelwright.dev/wheelwright/shared/definition"
)

// flow is one event under test, with everything around it: what it does is noted in calls.
type flow struct {
	t     testing.TB
	event workflow.Event
	steps map[string]string
	clock *testclock.FakeClock

	mutex sync.Mutex
	calls []string
	// answers say how an action, a dispatch or a health check goes, by name; what has none is done at once.
	answers map[string]func(n int) (workflow.Outcome, error)
	asked   map[string]int
	seen    map[string][]workflow.Request
	// dispatched is context.workflow as the last Dispatch saw it.
	dispatched map[string]any
	// created are the things that actions made, by identity.
	created map[string]int
}

var errNoStep = errors.New("no such step definition")

// newFlow is a create event of a definition with this workflow block.
func newFlow(t testing.TB, source string) *flow {
	f := &flow{
		t: t, steps: map[string]string{}, clock: testclock.NewFakeClock(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)),
		answers: map[string]func(int) (workflow.Outcome, error){}, asked: map[string]int{}, seen: map[string][]workflow.Request{},
		created: map[string]int{},
	}
	f.event = workflow.Event{
		Component: workflow.Component{Namespace: "shop", Name: "db", UID: "uid-1"}, ID: "event-1", Kind: workflow.Create,
		Definition: definition.Definition{Name: "database", Files: map[string]string{"workflow.cue": source}},
		Actions:    f, Loader: f,
	}
	for _, name := range []string{"helm-install", "helm-upgrade", "notify", "refresh"} {
		f.steps[name] = fmt.Sprintf("parameters: {...}\n#do: %q\nparams: parameters\n", name)
	}
	return f
}

// engine is a new one, with no memory of what others did.
func (f *flow) engine() *workflow.Engine {
	f.t.Helper()
	actions := map[string]workflow.Action{}
	for _, name := range []string{"helm-install", "helm-upgrade", "notify", "refresh"} {
		actions[name] = f.action(name)
	}
	engine, err := workflow.New(workflow.Options{Actions: actions, Clock: f.clock})
	if err != nil {
		f.t.Fatal(err)
	}
	return engine
}

// pass makes one pass with a new engine, over a run that went through JSON, as after a restart.
func (f *flow) pass() workflow.Result {
	f.t.Helper()
	result, err := f.engine().Run(context.Background(), f.event)
	if err != nil {
		f.t.Fatal(err)
	}
	f.event.Run = throughJSON(f.t, result.Run)
	return result
}

func throughJSON(t testing.TB, run workflow.Run) *workflow.Run {
	t.Helper()
	encoded, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	decoded := &workflow.Run{}
	if err := json.Unmarshal(encoded, decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

// finish makes passes, each at the time that the one before asked for, until the run has finished.
func (f *flow) finish() workflow.Result {
	f.t.Helper()
	for range 200 {
		result := f.pass()
		if result.Run.Finished() {
			return result
		}
		f.clock.Step(max(result.RecheckAfter, time.Second))
	}
	f.t.Fatalf("the run does not finish: %s", pretty(f.event.Run))
	return workflow.Result{}
}

func (f *flow) ask(name string) (workflow.Outcome, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.calls = append(f.calls, name)
	f.asked[name]++
	if answer := f.answers[name]; answer != nil {
		return answer(f.asked[name])
	}
	return workflow.Outcome{Progress: workflow.Progress{Done: true}}, nil
}

// action makes something under the identity that it is given, unless it is there.
func (f *flow) action(name string) workflow.Action {
	return func(_ context.Context, request workflow.Request) (workflow.Outcome, error) {
		f.mutex.Lock()
		f.seen[name] = append(f.seen[name], request)
		f.created[name+"/"+request.Identity.Hash()]++
		f.mutex.Unlock()
		return f.ask(name)
	}
}

func (f *flow) Dispatch(_ context.Context, state map[string]any) (workflow.Progress, error) {
	f.dispatched = state
	outcome, err := f.ask("dispatch")
	return outcome.Progress, err
}

func (f *flow) DispatchDelete(context.Context) (workflow.Progress, error) {
	outcome, err := f.ask("dispatch-delete")
	return outcome.Progress, err
}

func (f *flow) Healthy(_ context.Context, names []string) (workflow.Progress, error) {
	outcome, err := f.ask("healthy " + strings.Join(names, "+"))
	return outcome.Progress, err
}

func (f *flow) Outputs(context.Context) (map[string]any, error) {
	return map[string]any{"service": map[string]any{"metadata": map[string]any{"name": "db"}}}, nil
}

func (f *flow) LoadStep(_ context.Context, name string) (definition.Definition, error) {
	text, ok := f.steps[name]
	if !ok {
		return definition.Definition{}, fmt.Errorf("%w: %s", errNoStep, name)
	}
	return definition.Definition{Name: name, Files: map[string]string{"template.cue": text}}, nil
}

// answer lets an action return something.
func returns(values map[string]any) func(int) (workflow.Outcome, error) {
	return func(int) (workflow.Outcome, error) {
		return workflow.Outcome{Progress: workflow.Progress{Done: true}, Returns: values}, nil
	}
}

// doneAfter lets an action be done at the nth time that it is asked.
func doneAfter(n int, values map[string]any) func(int) (workflow.Outcome, error) {
	return func(asked int) (workflow.Outcome, error) {
		if asked < n {
			return workflow.Outcome{Progress: workflow.Progress{Message: "not yet"}}, nil
		}
		return workflow.Outcome{Progress: workflow.Progress{Done: true}, Returns: values}, nil
	}
}

func failsWith(err error) func(int) (workflow.Outcome, error) {
	return func(int) (workflow.Outcome, error) { return workflow.Outcome{}, err }
}

func (f *flow) wantCalls(want ...string) {
	f.t.Helper()
	if !slices.Equal(f.calls, want) {
		f.t.Errorf("calls are\n %q, want\n %q", f.calls, want)
	}
}

func wantPhase(t testing.TB, run workflow.Run, phase workflow.Phase) {
	t.Helper()
	if run.Phase != phase {
		t.Fatalf("phase is %q, want %q: %s", run.Phase, phase, pretty(run))
	}
}

// wantSteps compares name and phase of all steps.
func wantSteps(t testing.TB, run workflow.Run, want ...string) {
	t.Helper()
	var got []string
	for _, step := range run.Steps {
		got = append(got, fmt.Sprintf("%s %s", step.Name, step.Phase))
	}
	if !slices.Equal(got, want) {
		t.Errorf("steps are\n %q, want\n %q\n%s", got, want, pretty(run))
	}
}

func wantMessage(t testing.TB, message string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(message, part) {
			t.Errorf("message is %q, want %q in it", message, part)
		}
	}
}

func pretty(value any) string {
	encoded, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}

// block puts steps into a create block.
func block(steps ...string) string {
	return "workflow: create: [\n" + strings.Join(steps, ",\n") + ",\n]\n"
}
