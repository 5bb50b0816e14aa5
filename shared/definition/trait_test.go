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
	got, err := FromFile(files, "component/web.cue")
	want := Definition{Name: "web", APIVersion: "v1", Files: map[string]string{"web.cue": "outputs: []"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := FromFile(files, "component/none.cue"); err == nil {
		t.Error("a file that is not there was read")
	}
}
