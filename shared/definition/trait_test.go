package definition

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestTraitHash(t *testing.T) {
	base := Trait{Definition: Definition{Name: "x", APIVersion: "v1", Files: map[string]string{"a.cue": "a: 1"}}}
	seen := map[string]string{}
	for name, trait := range map[string]Trait{
		"plain":   base,
		"phase":   {Definition: base.Definition, Phase: PhasePre},
		"applies": {Definition: base.Definition, AppliesTo: []string{"web"}},
		"both":    {Definition: base.Definition, Phase: PhasePre, AppliesTo: []string{"web"}},
		"post":    {Definition: base.Definition, Phase: PhasePost},
	} {
		hash := trait.Hash()
		if other, taken := seen[hash]; taken {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[hash] = name
	}
	if base.Hash() != base.Definition.Hash() {
		t.Error("a trait that says nothing of its own has another hash than its definition")
	}
}

func TestTraitSnapshot(t *testing.T) {
	trait := Trait{Definition: Definition{Name: "x", APIVersion: "v1", Files: map[string]string{"a.cue": "a: 1"}}, Phase: PhasePost, AppliesTo: []string{"web"}}
	snapshot := trait.Snapshot("v1/x")
	if diff := cmp.Diff(trait, FromTraitSnapshot(snapshot)); diff != "" || snapshot.Type != "v1/x" {
		t.Errorf("type %s (-want +got):\n%s", snapshot.Type, diff)
	}
	snapshot.AppliesTo[0], snapshot.Files["a.cue"] = "other", ""
	if trait.AppliesTo[0] != "web" || trait.Files["a.cue"] == "" {
		t.Error("the snapshot shares memory with the trait")
	}
}

func TestFromFile(t *testing.T) {
	files := fstest.MapFS{"component/web.cue": {Data: []byte("outputs: []")}}
	got, err := FromFile(files, "component/web.cue", "web")
	want := Definition{Name: "web", APIVersion: "v1", Files: map[string]string{"web.cue": "outputs: []"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := FromFile(files, "component/web.cue", "site-v2"); err != nil || got.Name != "site-v2" || got.APIVersion != "v2" {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := FromFile(files, "component/none.cue", "none"); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestTraitFromDirectory(t *testing.T) {
	files := fstest.MapFS{
		"trait/x/a.cue": {Data: []byte("outputs: []")}, "trait/x/definition.yaml": {Data: []byte("phase: post\nappliesTo: [web, v2/web]\nversion: 1.0.0")},
	}
	got, err := TraitFromDirectory(files, "trait/x")
	want := Trait{
		Definition: Definition{Name: "x", APIVersion: "v1", Version: "1.0.0", Files: map[string]string{"a.cue": "outputs: []"}},
		Phase:      PhasePost, AppliesTo: []string{"web", "v2/web"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
