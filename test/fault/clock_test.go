package fault

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"wheelwright.dev/wheelwright/agent/workflow"
)

// The stored times of a workflow are compared with the agent's clock. Moving them is what a clock that jumps comes to.
const waiting = `
workflow: create: [
	{type: "notify", properties: {url: context.parameters.receiver}, %s},
	{type: "dispatch"},
]
`

const told = `
parameters: {receiver: string}
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name + "-config"}}]
isHealthy: true
`

// moveTimes moves all that a stored run knows of its first step, while no agent runs.
func (l *lane) moveTimes(name string, by time.Duration) {
	l.t.Helper()
	stored := &workflow.Run{}
	l.must(json.Unmarshal(l.get(name).Status.WorkflowRun.Raw, stored))
	step := &stored.Steps[0]
	for _, at := range []*metav1.Time{&stored.StartedAt, step.StartedAt, step.RetryAt} {
		if at != nil {
			at.Time = at.Add(by)
		}
	}
	l.patchStatus(name, types.JSONPatchType, fmt.Sprintf(`[{"op":"replace","path":"/status/workflowRun","value":%s}]`, pretty(stored)))
}

// awaitRetry waits until the first step has failed, and is to be tried again.
func (l *lane) awaitRetry(name string) {
	l.t.Helper()
	l.eventually("the step of "+name+" has failed", func() string {
		component := l.get(name)
		stored := &workflow.Run{}
		if component.Status.WorkflowRun != nil {
			l.must(json.Unmarshal(component.Status.WorkflowRun.Raw, stored))
		}
		if len(stored.Steps) == 0 || stored.Steps[0].RetryAt == nil {
			return pretty(component.Status)
		}
		return ""
	})
}

// A clock that is set back by a day, or forth, must not hold a step that is to be tried again.
func TestAClockThatJumpsHoldsNoRetry(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	for _, by := range []time.Duration{24 * time.Hour, -24 * time.Hour} {
		l.start()
		name := map[bool]string{true: "set-back", false: "set-forth"}[by > 0]
		l.receiver.set(func(func()) { dropConnection() })
		definition := definitionOf("told", told, fmt.Sprintf(waiting, ""))
		l.create(l.component(name, "r1", definition, fmt.Sprintf(`{"receiver":%q}`, l.receiver.server.URL)))
		l.awaitRetry(name)
		l.must(l.agent.Kill())
		l.moveTimes(name, by)
		l.receiver.set(nil)
		l.start()
		l.awaitHealthy(name, "r1")
		l.must(l.agent.Kill())
	}
	l.start()
}

// A clock that was set back must not lengthen a timeout by as much.
func TestAClockThatIsSetBackDoesNotStopATimeout(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.start()
	l.receiver.set(func(func()) { dropConnection() })
	definition := definitionOf("told", told, fmt.Sprintf(waiting, `timeout: "20s"`))
	l.create(l.component("late", "r1", definition, fmt.Sprintf(`{"receiver":%q}`, l.receiver.server.URL)))
	l.awaitRetry("late")
	l.must(l.agent.Kill())
	l.moveTimes("late", 24*time.Hour)
	l.start()
	l.eventually("the step has timed out", func() string {
		stored := &workflow.Run{}
		l.must(json.Unmarshal(l.get("late").Status.WorkflowRun.Raw, stored))
		if stored.Steps[0].Reason != workflow.ReasonTimeout {
			return pretty(stored)
		}
		return ""
	})
}
