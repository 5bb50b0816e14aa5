package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const settled = `{"image":"nginx:1.27","config":{"greeting":"hello"}}`

func TestChangeOfContentCostsThreeWrites(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", webservice(t), settled))
	s.awaitHealth("web", "r1", true)
	s.awaitQuiet("web")
	s.calls.take()

	s.dispatch("web", "r2", `{"image":"nginx:1.27","config":{"greeting":"bye"}}`)
	s.awaitHealth("web", "r2", true)
	s.awaitQuiet("web")
	want := []string{
		"PUT /apis/core.wheelwright.dev/v1alpha1/resourcetrackers/" + s.ns + ".web",
		"PATCH /api/v1/namespaces/" + s.ns + "/configmaps/web-config",
		"PATCH /apis/core.wheelwright.dev/v1alpha1/namespaces/" + s.ns + "/components/web/status",
	}
	if diff := cmp.Diff(want, s.calls.take()); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

func TestRevisionWithoutChangeIsEchoed(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", webservice(t), settled))
	s.awaitHealth("web", "r1", true)
	s.awaitQuiet("web")
	s.calls.take()

	s.dispatch("web", "r2", settled)
	s.awaitHealth("web", "r2", true)
	s.awaitQuiet("web")
	want := []string{"PATCH /apis/core.wheelwright.dev/v1alpha1/namespaces/" + s.ns + "/components/web/status"}
	if diff := cmp.Diff(want, s.calls.take()); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// A revision without a change makes the new agent pass over each Component and say so, which is all that it writes.
func TestRestartWritesNothing(t *testing.T) {
	s := newSpoke(t)
	names := []string{"web-0", "web-1", "web-2", "web-3", "web-4"}
	before := map[string]map[string]string{}
	for _, name := range names {
		s.create(s.component(name, "r1", webservice(t), settled))
	}
	for _, name := range names {
		s.awaitHealth(name, "r1", true)
		s.awaitQuiet(name)
		before[name] = s.versions(name)
	}
	s.calls.take()
	s.restartAgent()
	var want []string
	for _, name := range names {
		s.dispatch(name, "r2", settled)
		s.awaitHealth(name, "r2", true)
		s.awaitQuiet(name)
		want = append(want, "PATCH /apis/core.wheelwright.dev/v1alpha1/namespaces/"+s.ns+"/components/"+name+"/status")
	}
	if diff := cmp.Diff(want, s.calls.take()); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	for _, name := range names {
		after := s.versions(name)
		after["Component"] = before[name]["Component"]
		if diff := cmp.Diff(before[name], after); diff != "" {
			t.Errorf("resource versions before and after (-before +after):\n%s", diff)
		}
	}
}

func TestDriftWhileTheAgentIsDownIsCorrected(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", webservice(t), settled))
	s.awaitHealth("web", "r1", true)
	s.stop()
	s.patch("v1", "ConfigMap", "web-config", `{"data":{"greeting":"drifted"}}`)
	s.patch("v1", "Service", "web", `{"spec":{"selector":{"more":"drifted"}}}`)
	s.startAgent()
	s.eventually("the drift is corrected", func() string {
		_, drifted, err := unstructured.NestedString(s.object("v1", "Service", "web").Object, "spec", "selector", "more")
		s.must(err)
		return cmp.Diff(map[string]string{"greeting": "hello"}, s.configData("web-config")) + cmp.Diff(false, drifted)
	})
}

func TestForeignLabelsAreLeftAlone(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", webservice(t), settled))
	s.awaitHealth("web", "r1", true)
	s.awaitQuiet("web")
	s.calls.take()
	// A label of somebody else on an owned object is an event, and none of the agent's business.
	note := `{"metadata":{"labels":{"example.com/note":"hello"}}}`
	s.patch("v1", "Service", "web", note)
	s.patch("apps/v1", "Deployment", "web", note)
	s.awaitQuiet("web")
	for _, call := range s.calls.take() {
		// A Service has no generation, so that any change of it has to be looked at by applying once.
		if !strings.HasSuffix(call, "/services/web") {
			t.Errorf("unneeded call: %s", call)
		}
	}
	if got := s.object("v1", "Service", "web").GetLabels()["example.com/note"]; got != "hello" {
		t.Error("the label of somebody else was taken away")
	}
}

// awaitQuiet waits until nothing of the Component has changed for twenty readings in a row.
func (s *spoke) awaitQuiet(name string) {
	s.t.Helper()
	for last, same := "", 0; same < 20; {
		now := pretty(s.versions(name))
		if now == last {
			same++
		} else {
			last, same = now, 0
		}
	}
}

// versions has the resource versions of a web service, all that it owns, and its tracker.
func (s *spoke) versions(name string) map[string]string {
	s.t.Helper()
	return map[string]string{
		"Component":  s.get(name).ResourceVersion,
		"tracker":    s.tracker(name).ResourceVersion,
		"ConfigMap":  versionOf(s.object("v1", "ConfigMap", name+"-config")),
		"Deployment": versionOf(s.object("apps/v1", "Deployment", name)),
		"Service":    versionOf(s.object("v1", "Service", name)),
	}
}

func versionOf(object *unstructured.Unstructured) string {
	if object == nil {
		return "absent"
	}
	return object.GetResourceVersion()
}
