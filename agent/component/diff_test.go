package component

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// history is one Component's events, one after the other.
type history struct {
	t      *testing.T
	hasher hasher
	last   *corev1alpha1.LifecycleEvent
}

// inputs are written as properties@definition, with +traits behind it.
func (h *history) inputs(text string) corev1alpha1.ProcessedInputs {
	text, traits, _ := strings.Cut(text, "+")
	properties, def, _ := strings.Cut(text, "@")
	made := corev1alpha1.ProcessedInputs{
		APIVersion: def, DefinitionHash: def, PropertiesHash: h.hasher.hash([]byte(properties)),
		Properties: &runtime.RawExtension{Raw: []byte(fmt.Sprintf("{%q:1}", properties))},
	}
	if traits != "" {
		made.TraitsHash = h.hasher.hash([]byte(traits))
	}
	return made
}

// next processes inputs at a generation, and says what event it is: "type, what changed", or "none".
func (h *history) next(inputs string, generation int64, ended bool) string {
	before := h.last
	h.last = eventFor(before, occasion{uid: "uid", generation: generation, target: h.inputs(inputs), ended: ended})
	if before != nil && before.ID == h.last.ID {
		return "none"
	}
	said := h.last.Type
	if h.last.ParamsChanged {
		said += " params"
	}
	if h.last.DefinitionChanged {
		said += " definition"
	}
	if h.last.TraitsChanged {
		said += " traits"
	}
	if h.last.Current != nil {
		said += " from " + h.last.Current.APIVersion + " " + string(h.last.Current.Properties.Raw)
	}
	return said
}

func TestWhatMakesAnEvent(t *testing.T) {
	type pass struct {
		inputs string
		// then is what becomes of it: done, failed, or running.
		then, want string
	}
	for name, passes := range map[string][]pass{
		"nothing changes": {{"a@v1", "done", "create"}, {"a@v1", "done", "none"}},
		"each change": {
			{"a@v1", "done", "create"}, {"b@v1", "done", `upgrade params from v1 {"a":1}`},
			{"b@v2", "done", `upgrade definition from v1 {"b":1}`}, {"b@v2+t", "done", `upgrade traits from v2 {"b":1}`},
			{"c@v3", "done", `upgrade params definition traits from v2 {"b":1}`},
		},
		"create until it is done": {
			{"a@v1", "failed", "create"},
			{"b@v1", "running", "create"},
			{"c@v1", "done", "create"},
			{"d@v1", "done", `upgrade params from v1 {"c":1}`},
		},
		"back again": {
			{"a@v1", "done", "create"},
			{"b@v1", "running", `upgrade params from v1 {"a":1}`},
			{"a@v1", "done", `upgrade params from v1 {"a":1}`},
		},
		"a migration is not forgotten": {
			{"a@v1", "done", "create"}, {"a@v2", "failed", `upgrade definition from v1 {"a":1}`}, {"b@v2", "done", `upgrade params definition from v1 {"a":1}`},
		},
		"the same again while it runs": {{"a@v1", "running", "create"}, {"a@v1", "running", "none"}},
		"the same again after it failed": {
			{"a@v1", "done", "create"},
			{"b@v1", "failed", `upgrade params from v1 {"a":1}`},
			{"b@v1", "done", `upgrade params from v1 {"a":1}`},
		},
		"failed is told of once, not ago": {
			{"a@v1", "done", "create"},
			{"b@v1", "failed", `upgrade params from v1 {"a":1}`},
			{"b@v1", "done", `upgrade params from v1 {"a":1}`},
			{"b@v1", "done", "none"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := &history{t: t, hasher: newHasher([]byte("k"))}
			ended := false
			for i, one := range passes {
				if got := h.next(one.inputs, int64(i+1), ended); got != one.want {
					t.Errorf("pass %d, %s: got %q, want %q", i, one.inputs, got, one.want)
				}
				h.last.Completed, ended = one.then == "done", one.then == "failed"
			}
		})
	}
}

// A reconcile of the same generation never begins an event anew, whatever became of the event.
func TestAFailedEventIsNotTriedAgainByItself(t *testing.T) {
	h := &history{t: t, hasher: newHasher([]byte("k"))}
	h.next("a@v1", 1, false)
	h.next("a@v1", 2, false) // the event runs on, and is of generation 2 from here
	if got := h.next("a@v1", 2, true); got != "none" {
		t.Errorf("got %q", got)
	}
}

// A key that was lost makes no event of everything: what was written is compared then.
func TestAnotherKeyIsNoChange(t *testing.T) {
	h := &history{t: t, hasher: newHasher(nil)}
	h.next("a@v1+t", 1, false)
	h.last.Completed = true
	h.hasher = newHasher(nil)
	if got := h.next("a@v1+t", 2, false); got != "none" {
		t.Errorf("got %q", got)
	}
	if want := h.inputs("a@v1+t").PropertiesHash; h.last.Target.PropertiesHash != want {
		t.Error("the hash of the new key is not taken up")
	}
	if got := h.next("b@v1+t", 3, false); !strings.HasPrefix(got, "upgrade params from") {
		t.Errorf("got %q", got)
	}
}

func TestHashesTellContentsApart(t *testing.T) {
	h := newHasher([]byte("k"))
	if h.hash([]byte("ab"), []byte("c")) == h.hash([]byte("a"), []byte("bc")) {
		t.Error("parts run into each other")
	}
	if newHasher([]byte("other")).hash([]byte("a")) == h.hash([]byte("a")) {
		t.Error("the key does not matter")
	}
	for _, same := range [][2]string{{`{"a":1,"b":2}`, `{ "b":2, "a":1 }`}, {``, `{}`}} {
		if string(canonical([]byte(same[0]))) != string(canonical([]byte(same[1]))) {
			t.Errorf("%s is not %s", same[0], same[1])
		}
	}
	if string(canonical([]byte(`{"a":9007199254740993}`))) == string(canonical([]byte(`{"a":9007199254740992}`))) {
		t.Error("large numbers are rounded")
	}
}
