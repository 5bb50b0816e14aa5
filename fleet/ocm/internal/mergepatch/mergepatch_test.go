package mergepatch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestPatches(t *testing.T) {
	object := &metav1.ObjectMeta{Name: "o", UID: "u", ResourceVersion: "7", Labels: map[string]string{"a": "1", "b": "2"}}
	changed := &metav1.ObjectMeta{Labels: map[string]string{"b": "3", "c": "4"}}
	for name, row := range map[string]struct {
		patch func() ([]byte, error)
		want  string
	}{
		"status": {
			func() ([]byte, error) {
				return Status(object, map[string]any{"a": 1, "b": 2}, map[string]any{"b": 3})
			},
			`{"metadata":{"resourceVersion":"7","uid":"u"},"status":{"a":null,"b":3}}`,
		},
		"labels and spec": {
			func() ([]byte, error) {
				return LabelsAndSpec(object, map[string]any{"x": 1}, changed, map[string]any{"x": 2})
			},
			`{"metadata":{"labels":{"a":null,"b":"3","c":"4"},"resourceVersion":"7","uid":"u"},"spec":{"x":2}}`,
		},
		"metadata": {
			func() ([]byte, error) { return Metadata(object, "finalizers", []string{"f"}) },
			`{"metadata":{"finalizers":["f"],"resourceVersion":"7","uid":"u"}}`,
		},
		"spec": {
			func() ([]byte, error) { return Spec(object, map[string]any{"x": 2}) },
			`{"metadata":{"resourceVersion":"7","uid":"u"},"spec":{"x":2}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := row.patch()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, string(got)); diff != "" {
				t.Errorf("patch (-want +got):\n%s", diff)
			}
		})
	}
}
