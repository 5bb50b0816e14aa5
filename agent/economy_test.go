package agent_test

import (
	"fmt"
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

func TestRestartWritesNothing(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", webservice(t), settled))
	s.awaitHealth("web", "r1", true)
	s.awaitQuiet("web")
	before := s.versions("web")

	s.calls.take()
	s.restartAgent()
	// The agent cannot know what was applied, so it applies once more; that changes nothing on the cluster.
	s.eventually("everything was applied once more", func() string {
		s.calls.mutex.Lock()
		defer s.calls.mutex.Unlock()
		if len(s.calls.calls) < 3 {
			return fmt.Sprint(s.calls.calls)
		}
		return ""
	})
	s.awaitQuiet("web")
	if diff := cmp.Diff(before, s.versions("web")); diff != "" {
		t.Errorf("resource versions before and after (-before +after):\n%s", diff)
	}
	for _, call := range s.calls.take() {
		if strings.Contains(call, "core.wheelwright.dev") {
			t.Errorf("the restart wrote its own objects: %s", call)
		}
	}
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
