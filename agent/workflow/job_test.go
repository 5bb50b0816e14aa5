package workflow_test

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

const patience = 60 * time.Second

// migration is the KEP's example of run-job.
const migration = `
workflow: {
	create: [
		if context.event == "create" {
			{ type: "run-job", properties: {
					image: "migrate:latest"
					command: ["./migrate", "up"]
				}
			}
		},
		if context.event == "upgrade" && context.paramsChanged {
			{ type: "run-job", properties: {
					image: "migrate:latest"
					command: ["./migrate", "up"]
				}
			}
		},
		{ type: "dispatch" },
		{ type: "wait-healthy", selector: { names: ["database"] } },
	]
	delete: [
		{ type: "run-job", properties: {
				image: "migrate:latest"
				command: ["./migrate", "down"]
			}
		},
		{ type: "dispatch-delete" },
	]
}
`

func jobFlow(t *testing.T, source string) *flow {
	f := newFlow(t, source)
	f.event.Component.Namespace, f.event.Client = newNamespace(t), spokeClient
	return f
}

func (f *flow) jobs() []batchv1.Job {
	f.t.Helper()
	list := &batchv1.JobList{}
	if err := spokeClient.List(f.t.Context(), list, client.InNamespace(f.event.Component.Namespace)); err != nil {
		f.t.Fatal(err)
	}
	return list.Items
}

// await makes passes until the run has finished, each with an engine and a state that know nothing but what was stored.
func (f *flow) await() workflow.Result {
	f.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		result := f.pass()
		if result.Run.Finished() {
			return result
		}
		select {
		case <-poll.C:
			f.clock.Step(time.Second)
		case <-deadline.C:
			f.t.Fatalf("the run does not finish: %s", pretty(result.Run))
		}
	}
}

func TestTheMigrationOfTheKEPRunsOnceInItsEvent(t *testing.T) {
	for name, test := range map[string]struct {
		kind    workflow.Kind
		changed bool
		command string
		calls   []string
	}{
		"create":                        {workflow.Create, false, "up", []string{"dispatch", "healthy database"}},
		"upgrade with new parameters":   {workflow.Upgrade, true, "up", []string{"dispatch", "healthy database"}},
		"upgrade of something else":     {workflow.Upgrade, false, "", []string{"dispatch", "healthy database"}},
		"delete, while the objects are": {workflow.Delete, false, "down", []string{"dispatch-delete"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := jobFlow(t, migration)
			f.event.Kind, f.event.Context.ParamsChanged = test.kind, test.changed
			if first := f.pass(); test.command != "" {
				wantPhase(t, first.Run, workflow.PhaseRunning)
				wantMessage(t, first.Run.Message, "Step run-job: waiting for Job db-")
				if first.RecheckAfter != 0 || len(f.calls) > 0 {
					t.Errorf("the first pass asks again after %s and called %q", first.RecheckAfter, f.calls)
				}
				f.event.Run = nil // the first result is lost, so the Job has to be found again
			}
			wantPhase(t, f.await().Run, workflow.PhaseSucceeded)
			f.wantCalls(test.calls...)
			jobs := f.jobs()
			if test.command == "" {
				if len(jobs) != 0 {
					t.Errorf("%d Jobs were made", len(jobs))
				}
				return
			}
			if len(jobs) != 1 {
				t.Fatalf("%d Jobs were made, want 1", len(jobs))
			}
			job := jobs[0]
			if command := job.Spec.Template.Spec.Containers[0].Command; command[1] != test.command {
				t.Errorf("the Job runs %q", command)
			}
			if job.Labels[corev1alpha1.ComponentUIDLabel] != "uid-1" || job.Labels[corev1alpha1.ComponentNameLabel] != "db" {
				t.Errorf("the Job has labels %v", job.Labels)
			}
			if job.Spec.TTLSecondsAfterFinished == nil {
				t.Error("a Job whose end was seen is never removed")
			}
		})
	}
}

func TestAJobThatFailsFailsItsStepWithItsMessage(t *testing.T) {
	f := jobFlow(t, block(`{type: "run-job", timeout: "1h", properties: {image: "x", timeout: "1s", resources: requests: cpu: "1000"}}`))
	result := f.await()
	wantPhase(t, result.Run, workflow.PhaseFailed)
	wantMessage(t, result.Run.Message, "Step run-job failed: Job db-", "DeadlineExceeded")
	f.wantCalls()
	if ttl := f.jobs()[0].Spec.TTLSecondsAfterFinished; ttl == nil {
		t.Error("a Job whose end was seen is never removed")
	}
}

func TestAJobThatNobodySawTheEndOfIsNotRemoved(t *testing.T) {
	f := jobFlow(t, block(`{type: "run-job", properties: image: "x"}`))
	f.pass()
	if ttl := f.jobs()[0].Spec.TTLSecondsAfterFinished; ttl != nil {
		t.Errorf("the Job goes %d seconds after its end, and would be made again by an agent that was away", *ttl)
	}
}

func TestWhatIsInTheWayOfAJobIsSaid(t *testing.T) {
	for name, test := range map[string]struct {
		properties string
		parts      []string
	}{
		"no image":            {`{}`, []string{"properties.image is needed"}},
		"an unknown property": {`{image: "x", comand: ["y"]}`, []string{`unknown field "comand"`}},
		"one of another type": {`{image: "x", command: "y"}`, []string{"do not fit run-job", "command"}},
		"what the cluster refuses": {
			`{image: "x", env: [{name: "", value: "y"}]}`, []string{"spec.template.spec.containers[0].env[0].name"},
		},
		"a timeout that is none": {`{image: "x", timeout: "soon"}`, []string{`properties.timeout "soon" is no duration`}},
	} {
		t.Run(name, func(t *testing.T) {
			f := jobFlow(t, block(`{type: "run-job", properties: `+test.properties+`}`))
			result := f.pass()
			wantPhase(t, result.Run, workflow.PhaseFailed)
			wantMessage(t, result.Run.Message, test.parts...)
		})
	}
}

func TestAJobOfSomebodyElseIsLeftAlone(t *testing.T) {
	f := jobFlow(t, block(`{type: "run-job", properties: image: "x"}`))
	identity := workflow.Identity{Component: f.event.Component, EventID: f.event.ID, Step: "run-job"}
	foreign := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: f.event.Component.Namespace, Name: identity.Name()},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "x", Image: "x"}},
		}}},
	}
	if err := spokeClient.Create(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	result := f.pass()
	wantPhase(t, result.Run, workflow.PhaseFailed)
	wantMessage(t, result.Run.Message, identity.Name(), "not of this Component")
}

// TestAJobThatNobodyWaitsForAnyMoreGoesAfterItsEnd covers all ways in which a step is given up while its Job runs.
func TestAJobThatNobodyWaitsForAnyMoreGoesAfterItsEnd(t *testing.T) {
	const slow = `{type: "run-job", timeout: "1h", properties: {image: "x", resources: requests: cpu: "1000"}}`
	for name, test := range map[string]struct {
		steps  string
		giveUp func(f *flow)
	}{
		"another event":  {slow, func(f *flow) { f.event.ID = "event-2" }},
		"a timeout":      {slow, func(f *flow) { f.clock.Step(time.Hour) }},
		"its group's":    {`{type: "step-group", timeout: "1h", subSteps: [` + slow + `]}`, func(f *flow) { f.clock.Step(time.Hour) }},
		"a restart":      {slow, func(f *flow) { *f.event.Run = workflow.Restart(*f.event.Run, f.now()) }},
		"a restart from": {slow, func(f *flow) { *f.event.Run, _ = workflow.RestartFrom(*f.event.Run, "run-job") }},
		"a person":       {slow, func(f *flow) { *f.event.Run, _ = workflow.Terminate(*f.event.Run, f.now()) }},
	} {
		t.Run(name, func(t *testing.T) {
			f := jobFlow(t, block(test.steps))
			f.pass()
			f.pass()
			given := f.jobs()
			if len(given) != 1 || given[0].Spec.TTLSecondsAfterFinished != nil {
				t.Fatalf("%d Jobs are there, or one is to go while it is waited for", len(given))
			}
			test.giveUp(f)
			if result := f.pass(); len(result.Run.Leftover) != 0 {
				t.Errorf("left over are %q", result.Run.Leftover)
			}
			for _, job := range f.jobs() {
				if goes := job.Spec.TTLSecondsAfterFinished != nil; goes != (job.Name == given[0].Name) {
					t.Errorf("Job %s, of which %s is the one given up, goes after its end: %t", job.Name, given[0].Name, goes)
				}
			}
		})
	}
}

func TestARestartedStepGetsAJobOfItsOwn(t *testing.T) {
	f := jobFlow(t, block(`{type: "run-job", properties: image: "x"}`))
	wantPhase(t, f.await().Run, workflow.PhaseSucceeded)
	restarted := workflow.Restart(*f.event.Run, f.now())
	f.event.Run = &restarted
	wantPhase(t, f.await().Run, workflow.PhaseSucceeded)
	if n := len(f.jobs()); n != 2 {
		t.Errorf("%d Jobs were made, want one for each attempt", n)
	}
}

func TestNamesOfJobsAreValidWhateverTheComponentIsCalled(t *testing.T) {
	for _, name := range []string{"db", "a.b.c", "a-name-with-a-dash-where-there-is-no-more-room-for-it"} {
		f := jobFlow(t, block(`{type: "run-job", properties: image: "x"}`))
		f.event.Component.Name = name
		wantMessage(t, f.pass().Run.Message, "waiting for Job")
	}
}

// The engine's own suspend goes by the real time, and so does this test.
func TestTheEnginesOwnSuspendWaitsForItsDurationOrAPerson(t *testing.T) {
	f := newFlow(t, block(`{type: "pause"}`))
	f.steps["pause"] = "import \"vela/builtin\"\npause: builtin.#Suspend & {$params: duration: \"1h\"}"
	engine, err := workflow.New(workflow.Options{Clock: clock.RealClock{}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		result, err := engine.Run(t.Context(), f.event)
		if err != nil {
			t.Fatal(err)
		}
		wantPhase(t, result.Run, workflow.PhaseSuspended)
		if result.RecheckAfter < 50*time.Minute || result.RecheckAfter > time.Hour {
			t.Errorf("it is asked again after %s, want about 1h", result.RecheckAfter)
		}
		f.event.Run = throughJSON(t, result.Run)
	}
	resumed, err := workflow.Resume(*f.event.Run, metav1.NewTime(time.Now().Add(-time.Second)))
	if err != nil {
		t.Fatal(err)
	}
	f.event.Run = &resumed
	result, err := engine.Run(t.Context(), f.event)
	if err != nil {
		t.Fatal(err)
	}
	wantPhase(t, result.Run, workflow.PhaseSucceeded)
}

func TestWhatATemplateWaitsForIsPolledMoreAndMoreSlowly(t *testing.T) {
	f := newFlow(t, block(`{type: "wait"}`))
	f.steps["wait"] = "import \"vela/builtin\"\nwait: builtin.#ConditionalWait & {$params: {continue: false, message: \"for rain\"}}"
	var delays []time.Duration
	for range 10 {
		result := f.pass()
		wantMessage(t, result.Run.Message, "Step wait: for rain")
		delays = append(delays, result.RecheckAfter)
		f.clock.Step(result.RecheckAfter)
	}
	if delays[0] != time.Second || delays[9] <= delays[2] || delays[9] > time.Minute {
		t.Errorf("delays are %v", delays)
	}
}
