package workflow_test

import (
	"fmt"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"wheelwright.dev/wheelwright/agent/workflow"
)

// TestAHundredEventsAtOnceShareNothing runs templates of both styles, with the engine's largest package, on one engine.
func TestAHundredEventsAtOnceShareNothing(t *testing.T) {
	const events = 100
	var group sync.WaitGroup
	shared := newFlow(t, "")
	shared.answers["helm-install"] = nil
	engine := shared.engine()
	for n := range events {
		group.Go(func() {
			f := newFlow(t, block(
				`{type: "helm-install"}`, `{type: "say", properties: n: context.parameters.n, outputs: [{name: "said", valueFrom: "said"}]}`,
				`{type: "set-workflow-state", inputs: [{from: "said", parameterKey: "said"}]}`, `{type: "dispatch"}`,
			))
			f.steps["say"] = "import \"vela/op\"\nparameter: n: int\nsaid: parameter.n\nsay: op.#Message & {message: \"\\(parameter.n)\"}\n"
			f.event.Component.UID = types.UID(fmt.Sprint(n))
			f.event.Context.TargetParams = map[string]any{"n": n}
			result, err := engine.Run(t.Context(), f.event)
			if err != nil {
				t.Error(err)
				return
			}
			if result.Run.Phase != workflow.PhaseSucceeded || fmt.Sprint(result.Workflow["said"]) != fmt.Sprint(n) {
				t.Errorf("event %d ended as %s", n, pretty(result))
			}
		})
	}
	group.Wait()
	if len(shared.created) != events {
		t.Errorf("actions were asked under %d identities, want %d", len(shared.created), events)
	}
}
