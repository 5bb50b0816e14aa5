package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/definition"
)

// configs renders a ConfigMap for each name in a list.
const configs = `
parameters: {
	names: [...string]
	text: *"" | string
	hold: *false | bool
	broken: *false | bool
}
outputs: [for n in parameters.names {
	name: n
	value: {
		apiVersion: "v1", kind: "ConfigMap"
		metadata: {
			name: "\(context.name)-\(n)"
			if parameters.hold {finalizers: ["example.com/hold"]}
		}
		data: text: parameters.text
		if parameters.broken {data: text: 3}
	}
}]
`

func configDefinition() definition.Definition { return inline("configs", configs) }

func TestOutputThatIsRemovedIsCollected(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r1", configDefinition(), `{"names":["a","b"]}`))
	s.awaitHealth("app", "r1", true)
	s.dispatch("app", "r2", `{"names":["b"]}`)
	s.awaitHealth("app", "r2", true)

	if s.configData("app-a") != nil {
		t.Error("the ConfigMap that is not rendered any more is still there")
	}
	want := []corev1alpha1.TrackedResource{{Version: "v1", Kind: "ConfigMap", Namespace: s.ns, Name: "app-b"}}
	if diff := cmp.Diff(want, s.tracker("app").Spec.Resources); diff != "" {
		t.Errorf("tracker (-want +got):\n%s", diff)
	}
}

func TestCollectionWaitsForFinalizers(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r1", configDefinition(), `{"names":["a","b"],"hold":true}`))
	s.awaitHealth("app", "r1", true)
	s.dispatch("app", "r2", `{"names":["b"]}`)
	waiting := s.awaitReason("app", condition.Applied, condition.ReasonProgressing)
	if !strings.Contains(waiting.Message, "ConfigMap "+s.ns+"/app-a") || !strings.Contains(waiting.Message, "example.com/hold") {
		t.Errorf("the message names neither the object nor what holds it: %s", waiting.Message)
	}
	if n := len(s.tracker("app").Spec.Resources); n != 2 {
		t.Errorf("the tracker has %d resources while one that is not rendered is still there, want 2", n)
	}
	s.patch("v1", "ConfigMap", "app-a", `{"metadata":{"finalizers":null}}`)
	s.awaitHealth("app", "r2", true)
	if n := len(s.tracker("app").Spec.Resources); n != 1 {
		t.Errorf("the tracker has %d resources, want 1", n)
	}
}

func TestObjectThatLostItsLabelIsNotCollected(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r1", configDefinition(), `{"names":["a","b"]}`))
	s.awaitHealth("app", "r1", true)
	s.stop() // so that the label is not corrected before the output is removed
	s.patch("v1", "ConfigMap", "app-a", `{"metadata":{"labels":{"`+corev1alpha1.ComponentUIDLabel+`":"somebody-else"}}}`)
	s.dispatch("app", "r2", `{"names":["b"]}`)
	s.startAgent()
	s.awaitHealth("app", "r2", true)
	if s.configData("app-a") == nil {
		t.Error("an object with another owner's label was deleted")
	}
	if n := len(s.tracker("app").Spec.Resources); n != 1 {
		t.Errorf("the tracker has %d resources, want 1", n)
	}
}

func TestRenderErrorKeepsWhatRan(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r1", configDefinition(), `{"names":["a","b"],"text":"one"}`))
	s.awaitHealth("app", "r1", true)
	ledger := s.tracker("app")

	s.dispatch("app", "r2", `{"names":["b"],"text":"two","broken":true}`)
	component := s.awaitHealth("app", "r2", false)
	failed := s.awaitReason("app", condition.Rendered, condition.ReasonRenderFailed)
	if !strings.Contains(failed.Message, "configs/template.cue:") {
		t.Errorf("the message has no place: %s", failed.Message)
	}
	for _, name := range []string{"app-a", "app-b"} {
		if got := s.configData(name)["text"]; got != "one" {
			t.Errorf("%s has text %q, want what ran before", name, got)
		}
	}
	if diff := cmp.Diff(ledger.ResourceVersion, s.tracker("app").ResourceVersion); diff != "" {
		t.Errorf("the tracker was written: %s", diff)
	}
	if component.Status.Exports != nil {
		t.Error("exports were kept")
	}
	s.dispatch("app", "r3", `{"names":["b"],"text":"three"}`)
	s.awaitHealth("app", "r3", true)
}

// A→B→A faster than a reconcile: whatever the agent saw of B, it must end at A with nothing of A deleted.
func TestThereAndBackDeletesNothingLive(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r0", configDefinition(), `{"names":["a","b"],"text":"A"}`))
	s.awaitHealth("app", "r0", true)
	for i := range 20 {
		s.dispatch("app", fmt.Sprintf("b%d", i), `{"names":["c"],"text":"B"}`)
		s.dispatch("app", fmt.Sprintf("a%d", i), `{"names":["a","b"],"text":"A"}`)
	}
	s.awaitHealth("app", "a19", true)
	for _, name := range []string{"app-a", "app-b"} {
		if got := s.configData(name)["text"]; got != "A" {
			t.Errorf("%s has text %q, want A", name, got)
		}
	}
	if s.configData("app-c") != nil {
		t.Error("what B rendered is still there")
	}
	if n := len(s.tracker("app").Spec.Resources); n != 2 {
		t.Errorf("the tracker has %d resources, want 2", n)
	}
}

// Every true that was ever written about a revision was written while the live object had that revision's content.
func TestTrueMeansLive(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r0", configDefinition(), `{"names":["a"],"text":"r0"}`))
	s.awaitHealth("app", "r0", true)
	edits := 200
	if testing.Short() {
		edits = 50
	}
	for i := range edits {
		revision := fmt.Sprintf("r%d", i+1)
		s.dispatch("app", revision, fmt.Sprintf(`{"names":["a"],"text":%q}`, revision))
		if i%5 == 0 { // else only the last of so many edits would ever be said to be healthy
			s.awaitHealth("app", revision, true)
		}
	}
	s.awaitHealth("app", fmt.Sprintf("r%d", edits), true)

	s.eventually("the record has the end", func() string {
		versions := s.record.statuses("app")
		if last := versions[len(versions)-1]; len(last.Status.Health) == 0 || last.Status.Health[0].Revision != fmt.Sprintf("r%d", edits) {
			return pretty(last.Status)
		}
		return ""
	})
	said := map[string]bool{}
	for _, component := range s.record.statuses("app") {
		for _, entry := range component.Status.Health {
			// A version of a newer spec carries the status along that was written before it: the first one counts.
			if !entry.IsHealthy || said[entry.Revision] {
				continue
			}
			said[entry.Revision] = true
			if component.Spec.Revision != entry.Revision {
				t.Errorf("true for %s was written when the spec had %s", entry.Revision, component.Spec.Revision)
			}
			if live := s.record.configAt("app-a", number(component.ResourceVersion))["text"]; live != entry.Revision {
				t.Errorf("true for %s was written while the live text was %s", entry.Revision, live)
			}
		}
	}
	t.Logf("of %d revisions, %d were said to be healthy", edits, len(said))
}
