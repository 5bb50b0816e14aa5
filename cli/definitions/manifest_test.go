package definitions

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

func traitOf(name string, files map[string]string) Definition {
	return Definition{Kind: traitKind, Name: name, Content: corev1alpha1.TraitContent{
		DefinitionContent: corev1alpha1.DefinitionContent{Files: files, APIVersion: "v2", Version: "1.10"},
		Phase:             "post", AppliesTo: []string{"site", "true"},
	}}
}

// What is printed for git is what would be applied, whatever the texts are.
func TestManifestsReadAsTheyWere(t *testing.T) {
	for _, text := range texts {
		wanted := traitOf("123", map[string]string{"template.cue": text, "b.cue": "x"})
		var asYAML, asJSON bytes.Buffer
		if err := WriteYAML(&asYAML, []Definition{wanted, traitOf("next", nil)}); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(asYAML.String(), "---\n") // the last line ends where it did
		object := &corev1alpha1.TraitDefinition{}
		if err := yaml.UnmarshalStrict([]byte(first), object); err != nil {
			t.Errorf("%q: %v:\n%s", text, err, first)
			continue
		}
		if diff := cmp.Diff(wanted.object(), any(object)); diff != "" {
			t.Errorf("%q (-want +got):\n%s\n%s", text, diff, first)
		}
		if err := WriteJSON(&asJSON, []Definition{wanted}); err != nil {
			t.Fatal(err)
		}
		var list struct {
			Items []*corev1alpha1.TraitDefinition `json:"items"`
		}
		if err := json.Unmarshal(asJSON.Bytes(), &list); err != nil || len(list.Items) != 1 {
			t.Fatalf("%v: %s", err, asJSON.String())
		}
		if diff := cmp.Diff(wanted.object(), any(list.Items[0])); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestCUEStandsInYAMLAsItIsWritten(t *testing.T) {
	var out bytes.Buffer
	first := traitOf("a", map[string]string{"template.cue": "parameters: {\n\tname: \"x\"\n}\n"})
	if err := WriteYAML(&out, []Definition{first, traitOf("b", nil)}); err != nil {
		t.Fatal(err)
	}
	want := `apiVersion: core.wheelwright.dev/v1alpha1
kind: TraitDefinition
metadata:
  name: a
spec:
  apiVersion: v2
  version: "1.10"
  phase: post
  appliesTo:
    - "site"
    - "true"
  files:
    template.cue: |
      parameters: {
      	name: "x"
      }
---
`
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("got\n%s", out.String())
	}
}
