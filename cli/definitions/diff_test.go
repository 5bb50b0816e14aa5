package definitions

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiffShowsWhatDiffersPartByPart(t *testing.T) {
	hub := newHub(t)
	hub.apply(map[string]string{
		"component/web/template.cue": source + "isHealthy: true\n", "component/web/old.cue": "message: \"old\"", "component/same.cue": source,
		"trait/t/t.cue": "outputs: []", "trait/t/definition.yaml": "appliesTo: [b, a]", "step/gone.cue": "a: 1",
	}, ApplyOptions{})
	folder := readFiles(t, map[string]string{
		"component/web/template.cue": source + "isHealthy: false\n", "component/web/definition.yaml": "apiVersion: v2\nversion: 1.0.0",
		"component/same.cue": source,
		"trait/t/t.cue":      "outputs: []", "trait/t/definition.yaml": "appliesTo: [a, b]", "step/new.cue": "a: 1",
	})
	web := `--- cluster: ComponentDefinition web, definition.yaml
+++ folder: component/web, definition.yaml
- apiVersion: v1
+ apiVersion: v2
+ version: "1.0.0"
--- cluster: ComponentDefinition web, old.cue
+++ folder: component/web, old.cue
- message: "old"
- \ no end of line
--- cluster: ComponentDefinition web, template.cue
+++ folder: component/web, template.cue
  ` + source + `- isHealthy: true
+ isHealthy: false
`
	step := "Only in the folder: WorkflowStepDefinition new (step/new.cue)\n"
	for all, want := range map[bool][]string{
		false: {web, step},
		true:  {web, step, "Only on the cluster: WorkflowStepDefinition gone\n"},
	} {
		got, err := Diff(t.Context(), hub, folder, all)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("all %v (-want +got):\n%s", all, diff)
		}
	}
	if _, err := Apply(t.Context(), hub, folder, ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, err := Diff(t.Context(), hub, folder, false); err != nil || len(got) > 0 {
		t.Errorf("after applying: %v, %v", got, err)
	}
}

// A kind that an older cluster does not know matters only to a folder that has it.
func TestDiffNeedsTheKindsOfTheFolder(t *testing.T) {
	cluster := withoutKinds{newHub(t)}
	if _, err := Diff(t.Context(), cluster, nil, false); err != nil {
		t.Errorf("a folder without definitions: %v", err)
	}
	_, err := Diff(t.Context(), cluster, readFiles(t, map[string]string{"step/a.cue": "a: 1"}), false)
	if err == nil || !strings.Contains(err.Error(), "WorkflowStepDefinition: the cluster does not know this kind") {
		t.Errorf("got %v", err)
	}
}
