package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/agent/tracker"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// counted renders as many ConfigMaps as it is told to, and a Secret.
const counted = `
import "list"

parameters: {
	count:  int
	secret: *"" | string
}
outputs: [
	for i in list.Range(0, parameters.count, 1) {
		name: "config-\(i)"
		value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "\(context.name)-\(i)"}
	},
	if parameters.secret != "" {
		name: "secret"
		value: {apiVersion: "v1", kind: "Secret", metadata: name: "\(context.name)-secret", stringData: token: parameters.secret}
	},
]
`

// ledger reads what the agent recorded of a Component, past every cache, or gives nil.
func (s *spoke) ledger(name string) *tracker.Ledger {
	s.t.Helper()
	ledger, err := tracker.Read(context.Background(), s.client, object.Owner{Namespace: s.ns, Name: name})
	s.must(err)
	return ledger
}

func (s *spoke) configs() int {
	s.t.Helper()
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
	s.must(s.client.List(context.Background(), list, client.InNamespace(s.ns), client.HasLabels{corev1alpha1.ComponentUIDLabel}))
	return len(list.Items)
}

func TestComponentOfTwoThousandOutputs(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("many", "r1", inline("counted", counted), `{"count":2000}`))
	s.awaitHealth("many", "r1", true)
	spec := s.tracker("many").Spec
	if len(spec.Compressed) == 0 || len(spec.Resources) != 0 || spec.Count != 2000 {
		t.Errorf("the tracker has %d bytes compressed, %d plain resources, and count %d", len(spec.Compressed), len(spec.Resources), spec.Count)
	}
	t.Logf("2000 resources are %d bytes", len(spec.Compressed))
	if ledger := s.ledger("many"); len(ledger.Resources) != 2000 || s.configs() != 2000 {
		t.Errorf("%d resources are tracked, and %d are there, want 2000", len(ledger.Resources), s.configs())
	}

	s.dispatch("many", "r2", `{"count":10}`)
	s.awaitHealth("many", "r2", true)
	spec = s.tracker("many").Spec
	if len(spec.Compressed) != 0 || len(spec.Resources) != 10 || s.configs() != 10 {
		t.Errorf("%d resources are tracked, and %d are there, want 10", len(spec.Resources), s.configs())
	}
	s.deleteComponent("many")
	if left := s.configs(); left != 0 || s.ledger("many") != nil {
		t.Errorf("%d objects are left behind, and the tracker %v", left, s.ledger("many"))
	}
}

func TestNoSecretGetsIntoTrackers(t *testing.T) {
	const marker = "marker-that-nobody-may-read"
	s := newSpoke(t)
	for name, count := range map[string]int{"plain": 3, "large": 300} {
		s.create(s.component(name, "r1", inline("counted", counted), fmt.Sprintf(`{"count":%d,"secret":%q}`, count, marker)))
		s.awaitHealth(name, "r1", true)
		if s.object("v1", "Secret", name+"-secret") == nil {
			t.Fatal("there is no Secret")
		}
		if got := len(s.ledger(name).Resources); got != count+1 {
			t.Errorf("%d resources are tracked, want %d", got, count+1)
		}
		decoded := pretty(s.ledger(name))
		encoded, err := json.Marshal(s.tracker(name))
		s.must(err)
		for _, text := range []string{decoded, string(encoded)} {
			if !strings.Contains(text, name) || strings.Contains(text, marker) {
				t.Errorf("the tracker has what a Secret holds: %s", text)
			}
		}
	}
	if len(s.tracker("large").Spec.Compressed) == 0 {
		t.Error("the large tracker is not compressed")
	}
}

func (s *spoke) patchTracker(name, patch string) error {
	ledger := &corev1alpha1.ResourceTracker{ObjectMeta: metav1.ObjectMeta{Name: s.ns + "." + name}}
	return s.client.Patch(s.t.Context(), ledger, client.RawPatch(types.MergePatchType, []byte(patch)))
}

func TestTrackerEntryRemovedByHandIsRecordedAgain(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r1", configDefinition(), `{"names":["a","b"]}`))
	s.awaitHealth("app", "r1", true)
	s.must(s.patchTracker("app", `{"spec":{"resources":null}}`))
	s.eventually("both are recorded again", func() string {
		if n := len(s.tracker("app").Spec.Resources); n != 2 {
			return fmt.Sprintf("%d are", n)
		}
		return ""
	})
}

func TestTrackerEntryAddedByHandDeletesNothingForeign(t *testing.T) {
	s := newSpoke(t)
	foreign := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "foreign"}}
	s.create(foreign)
	s.create(s.component("app", "r1", configDefinition(), `{"names":["a"]}`))
	s.create(s.component("other", "r1", configDefinition(), `{"names":["a"]}`))
	s.awaitHealth("app", "r1", true)
	s.awaitHealth("other", "r1", true)
	s.must(s.patchTracker("app", fmt.Sprintf(`{"spec":{"resources":[{"version":"v1","kind":"ConfigMap","namespace":%[1]q,"name":"app-a"},
		{"version":"v1","kind":"ConfigMap","namespace":%[1]q,"name":"foreign"},{"version":"v1","kind":"ConfigMap","namespace":%[1]q,"name":"other-a"},
		{"group":"example.com","version":"v1","kind":"Unheard","name":"x"}]}}`, s.ns)))
	s.eventually("what is not the Component's leaves its tracker", func() string {
		if n := len(s.tracker("app").Spec.Resources); n != 1 {
			return fmt.Sprintf("it has %d", n)
		}
		return ""
	})
	s.deleteComponent("app")
	for _, name := range []string{"foreign", "other-a"} {
		if s.object("v1", "ConfigMap", name) == nil {
			t.Errorf("ConfigMap %s was deleted, which is not the Component's", name)
		}
	}
}

func TestDamagedTrackerIsRebuilt(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r1", configDefinition(), `{"names":["a","b"]}`))
	s.awaitHealth("app", "r1", true)
	want := s.tracker("app").Spec
	s.must(s.patchTracker("app", `{"spec":{"resources":null,"compressed":"aGVsbG8="}}`))
	s.eventually("the tracker is as before", func() string {
		if now := s.tracker("app").Spec; len(now.Resources) != 2 || len(now.Compressed) != 0 || now.RenderHash != want.RenderHash {
			return pretty(now)
		}
		return ""
	})
	s.eventually("an event tells of it", func() string {
		events := &corev1.EventList{}
		s.must(s.client.List(t.Context(), events, client.InNamespace(s.ns)))
		for _, event := range events.Items {
			if event.Reason == condition.ReasonTrackerRebuilt && strings.Contains(event.Message, s.ns+".app: spec.compressed is not gzip") {
				return ""
			}
		}
		return fmt.Sprintf("there are %d others", len(events.Items))
	})
	if s.object("v1", "ConfigMap", "app-a") == nil {
		t.Error("an object was deleted with its record")
	}
}

// What could not even be decoded by clients never gets in.
// Whatever becomes of the tracker while nobody looks, what the agent applied is found again, and nothing that only looks like it.
func TestWhatATrackerForgetsIsFoundAgain(t *testing.T) {
	for name, forget := range map[string]func(*spoke){
		"deleted": func(s *spoke) { s.must(s.client.Delete(s.t.Context(), s.tracker("app"))) },
		"emptied": func(s *spoke) {
			ledger := s.tracker("app")
			ledger.Spec.Resources = nil
			s.must(s.client.Update(s.t.Context(), ledger))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpoke(t)
			s.create(s.component("app", "r1", configDefinition(), `{"names":["a","b"]}`))
			s.awaitHealth("app", "r1", true)
			copied := s.object("v1", "ConfigMap", "app-b")
			copied.SetManagedFields(nil)
			copied.SetResourceVersion("")
			copied.SetName("copy")
			s.create(copied)
			s.stop()
			forget(s)
			s.dispatch("app", "r2", `{"names":["a"]}`)
			s.restartAgent()
			s.awaitHealth("app", "r2", true)
			s.eventually("what is not rendered any more is gone", func() string {
				if s.object("v1", "ConfigMap", "app-b") != nil {
					return "it is there"
				}
				return ""
			})
			forget(s)
			s.must(s.client.Delete(t.Context(), s.get("app")))
			s.awaitGone("app")
			if s.object("v1", "ConfigMap", "app-a") != nil {
				t.Error("what the forgotten tracker named is left")
			}
			if s.object("v1", "ConfigMap", "copy") == nil {
				t.Error("a copy that somebody made is gone")
			}
		})
	}
}

func TestMeaninglessTrackersAreRefused(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("app", "r1", configDefinition(), `{"names":["a"]}`))
	s.awaitHealth("app", "r1", true)
	for name, patch := range map[string]string{
		"no base64":              `{"spec":{"resources":null,"compressed":"$$$"}}`,
		"two lists":              `{"spec":{"compressed":"aGVsbG8="}}`,
		"an entry of no kind":    `{"spec":{"resources":[{"version":"v1","kind":"","name":"x"}]}}`,
		"a million parts":        `{"spec":{"parts":1000000}}`,
		"a part before the rest": `{"spec":{"part":-1}}`,
	} {
		if err := s.patchTracker("app", patch); !apierrors.IsInvalid(err) {
			t.Errorf("%s: got %v, want it to be invalid", name, err)
		}
	}
}

// A finalizer that somebody puts on a tracker holds up the tracker alone, and one of the same name is used again.
func TestFinalizerOnTrackerDoesNoHarm(t *testing.T) {
	s := newSpoke(t)
	for _, revision := range []string{"r1", "r2"} {
		s.create(s.component("app", revision, configDefinition(), `{"names":["a"]}`))
		s.awaitHealth("app", revision, true)
		s.must(s.patchTracker("app", `{"metadata":{"finalizers":["example.com/hold"]}}`))
		s.deleteComponent("app")
		if s.object("v1", "ConfigMap", "app-a") != nil {
			t.Error("the object is left behind")
		}
	}
	s.must(s.patchTracker("app", `{"metadata":{"finalizers":null}}`))
}
