package agent_test

import "testing"

// A condition of a dispatch step that does not hold is about this event's order only: what is rendered is applied behind it.
func TestADispatchStepThatIsSkippedIsMadeUpFor(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("db", "r1", flow(`{type: "dispatch", if: "false"}`, ""), `{"text":"a"}`))
	s.awaitHealth("db", "r1", true)
	s.wantConfig("db-config", map[string]string{"text": "a", "event": "create"})
}
