package e2e

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

func wantMessage(t *testing.T, message string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(message, part) {
			t.Errorf("the message does not say %q: %s", part, message)
		}
	}
}

// What cannot be delivered is refused as a whole, with a message that says what to do, and nothing half-done.
func TestBadInputIsRefusedByTheHub(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	broken := newDefinition(t, func(d *corev1alpha1.ComponentDefinition) {
		d.Spec.Files["health.cue"] = "isHealthy: true\nmessage: \"unclosed\n"
	})
	big := map[string]any{"image": "x", "config": map[string]any{"blob": strings.Repeat("x", 520_000)}}
	good := component("good", typ, web("k", "v"))
	cases := map[string]struct {
		changes []change
		reason  string
		says    []string
	}{
		"UnknownDefinition": {[]change{good, component("bad", "webservise", web())}, condition.ReasonDefinitionNotFound, []string{`component "bad"`, "webservise", typ}},
		"UnknownLine":       {[]change{good, component("bad", "v7/"+typ, web())}, condition.ReasonDefinitionNotFound, []string{typ + "-v7"}},
		"UnknownParameter":  {[]change{good, component("bad", typ, map[string]any{"image": "x", "prot": 80})}, condition.ReasonInvalidProperties, []string{`component "bad"`, `"prot"`, `"port"`}},
		"MissingParameter":  {[]change{good, component("bad", typ, map[string]any{"port": 80})}, condition.ReasonInvalidProperties, []string{`"image"`}},
		"WrongType":         {[]change{good, component("bad", typ, map[string]any{"image": "x", "port": "eighty"})}, condition.ReasonInvalidProperties, []string{"port", "eighty", "int"}},
		"OutOfBounds":       {[]change{good, component("bad", typ, map[string]any{"image": "x", "port": 70000})}, condition.ReasonInvalidProperties, []string{"port", "65535"}},
		"AllAtOnce":         {[]change{good, component("bad", typ, map[string]any{"port": "eighty", "prot": 1})}, condition.ReasonInvalidProperties, []string{`"prot"`, `"image"`, "eighty"}},
		"BrokenDefinition":  {[]change{good, component("bad", broken, web())}, condition.ReasonDefinitionInvalid, []string{broken + "/health.cue:2:"}},
		"UnknownCluster":    {[]change{good, onClusters("dev-eu", "prod-ue")}, condition.ReasonUnknownCluster, []string{`"prod-ue"`, `"prod-eu"`}},
		"Cycle":             {[]change{component("a", typ, web(), "b"), component("b", typ, web(), "a")}, condition.ReasonDependencyCycle, []string{"a → b → a"}},
		"TooLarge":          {[]change{good, component("bad", typ, big)}, condition.ReasonTooLarge, []string{"512000", `component "bad"`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			app := newApplication(t, namespace, strings.ToLower(name), c.changes...)
			found := awaitCondition(t, app, condition.Ready, metav1.ConditionFalse, c.reason)
			wantMessage(t, found.Message, c.says...)
			if works := worksOf(t, app); len(works) != 0 {
				t.Errorf("%d works were written for what was refused", len(works))
			}
		})
	}
}

// A spec that is refused leaves what the former one delivered as it is, and heals with the next one.
func TestARefusedChangeLeavesWhatRuns(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop", component("a", typ, web("k", "v")))
	awaitReady(t, app)
	before := generations(worksOf(t, app))
	edit(t, app, setProperties("a", map[string]any{"image": 7}))
	found := awaitCondition(t, app, condition.Ready, metav1.ConditionFalse, condition.ReasonInvalidProperties)
	wantMessage(t, found.Message, "what was delivered before stays")
	if after := generations(worksOf(t, app)); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("works went from %v to %v", before, after)
	}
	edit(t, app, setProperties("a", web("k", "w")))
	awaitReady(t, app)
}

// A definition that arrives, or is repaired, after the Application needs no touch of it.
func TestAnApplicationWaitsForItsDefinition(t *testing.T) {
	namespace := newNamespace(t)
	name := "late-" + namespace
	app := newApplication(t, namespace, "shop", component("a", name, web()))
	awaitCondition(t, app, condition.Ready, metav1.ConditionFalse, condition.ReasonDefinitionNotFound)
	newDefinition(t, func(d *corev1alpha1.ComponentDefinition) { d.Name = name })
	awaitReady(t, app)
}
