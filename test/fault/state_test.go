package fault

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

// edits are what a person may do to the state of a workflow that is under way.
var edits = []struct {
	name  string
	kind  types.PatchType
	patch string
}{
	{"run-removed", types.MergePatchType, `{"status":{"workflowRun":null}}`},
	{"run-emptied", types.JSONPatchType, `[{"op":"replace","path":"/status/workflowRun","value":{}}]`},
	{"run-unreadable", types.JSONPatchType, `[{"op":"replace","path":"/status/workflowRun","value":{"eventID":5}}]`},
	{"run-at-no-element", types.MergePatchType, `{"status":{"workflowRun":{"element":99}}}`},
	{"run-succeeded", types.MergePatchType, `{"status":{"workflowRun":{"phase":"succeeded"}}}`},
	{"event-removed", types.MergePatchType, `{"status":{"event":null}}`},
	{"state-replaced", types.MergePatchType, `{"status":{"workflow":{"job":["nonsense"]}}}`},
	{"status-removed", types.JSONPatchType, `[{"op":"replace","path":"/status","value":{}}]`},
}

// What is under way was not recorded, so its notification may be sent once more. All else is found again by its identity.
func TestStateThatIsEditedByHandDoesNothingTwice(t *testing.T) {
	for _, running := range []bool{true, false} {
		name := "while the agent runs"
		if !running {
			name = "while no agent runs"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLane(t)
			l.start()
			for _, edit := range edits {
				held := l.hold()
				l.create(l.wholeComponent(edit.name, "r1", "a"))
				held.await()
				if !running {
					l.must(l.agent.Kill())
				}
				l.patchStatus(edit.name, edit.kind, edit.patch)
				held.letGo()
				if !running {
					l.start()
				}
				l.awaitHealthy(edit.name, "r1")
				l.wantEffects(edit.name, "create", edit.name)
				l.wantTold(edit.name, "create", edit.name, 2)
				l.wantDeleted(edit.name)
			}
		})
	}
}

// wantDeleted deletes a whole Component, and demands that its delete event ran once and left nothing.
func (l *lane) wantDeleted(name string) {
	l.t.Helper()
	l.delete(name)
	l.awaitGone(name)
	left := l.effects(name)
	if left.Jobs["undo"] != 1 || left.Release != "" || len(left.Objects) > 0 {
		l.t.Errorf("after the deletion of %s: %s", name, pretty(left))
	}
	l.wantTold(name, "delete", "deletion", 1)
}
