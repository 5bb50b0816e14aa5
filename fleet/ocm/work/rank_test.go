package work

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestApplyOrder(t *testing.T) {
	for name, row := range map[string]struct {
		kinds []string // "" is a manifest that cannot be parsed
		want  []string
	}{
		"by rank":                 {[]string{"Gadget", "Deployment", "ServiceAccount", "Role", "Namespace"}, []string{"Namespace", "Role", "ServiceAccount", "Deployment", "Gadget"}},
		"one rank stays in order": {[]string{"Secret", "ConfigMap", "Secret"}, []string{"Secret", "ConfigMap", "Secret"}},
		"unlisted after webhooks": {[]string{"Gadget", "ValidatingWebhookConfiguration"}, []string{"ValidatingWebhookConfiguration", "Gadget"}},
		"unparsed last":           {[]string{"", "Gadget"}, []string{"Gadget", ""}},
		"nothing":                 {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var manifests []manifest
			for _, kind := range row.kinds {
				manifests = append(manifests, ofKind(kind))
			}
			var got []string
			for _, m := range inApplyOrder(manifests) {
				got = append(got, m.meta.Kind)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

func ofKind(kind string) manifest {
	if kind == "" {
		return manifest{}
	}
	m := manifest{object: &unstructured.Unstructured{Object: map[string]any{"kind": kind}}}
	m.meta.Kind = kind
	return m
}
