package definition

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Any text as the type of a component: what is read is written the same again, and names an object that there can be.
func FuzzReference(f *testing.F) {
	for _, typ := range []string{"webservice", "v1/webservice", "v2beta1/a.b", "", "/", "v1/", "v0/a", "a/b", "-", "A", "v1/v1/a"} {
		f.Add(typ)
	}
	f.Fuzz(func(t *testing.T, typ string) {
		reference, err := ParseReference(typ)
		if err != nil {
			if !strings.Contains(err.Error(), "names no definition") {
				t.Errorf("the message does not say what is wrong: %v", err)
			}
			return
		}
		if reference.String() != typ {
			t.Errorf("%q is written %q", typ, reference.String())
		}
		if wrong := validation.IsDNS1123Subdomain(reference.ObjectName()); len(wrong) > 0 {
			t.Errorf("%q is the object %q, of which there can be none: %v", typ, reference.ObjectName(), wrong)
		}
	})
}

// Any content: the hash is stable, sees every change, and is that of what travels.
func FuzzHash(f *testing.F) {
	f.Add("a.cue", "x: 1", "b.cue", "y: 2")
	f.Add("a.cue", "", "a_test.cue", "")
	f.Add("", "", "", "")
	f.Fuzz(func(t *testing.T, nameA, textA, nameB, textB string) {
		one := Definition{Name: "a", APIVersion: DefaultAPIVersion, Files: map[string]string{nameA: textA, nameB: textB}}
		travelled := FromSnapshot(one.Snapshot())
		delete(one.Files, testOnly(nameA))
		delete(one.Files, testOnly(nameB))
		if travelled.Hash() != one.Hash() {
			t.Error("the hash changes on the way")
		}
		changed := travelled.Snapshot()
		changed.Files["another.cue"] = changed.Files["another.cue"] + " "
		if FromSnapshot(changed).Hash() == one.Hash() {
			t.Error("a change is not seen")
		}
		if _, ok := one.Files["another.cue"]; ok != (nameA == "another.cue" || nameB == "another.cue") {
			t.Error("a snapshot shares memory with its definition")
		}
	})
}

// testOnly is name where it names a test of a definition, which does not travel, and otherwise no file's.
func testOnly(name string) string {
	if strings.HasSuffix(name, testSuffix) {
		return name
	}
	return "no file"
}
