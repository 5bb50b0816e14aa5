package object

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

func TestSharers(t *testing.T) {
	a, b := Owner{Namespace: "shop", Name: "a", UID: "1"}, Owner{Namespace: "shop", Name: "b", UID: "2"}
	cases := map[string]struct {
		text string
		want []Owner
	}{
		"nobody":                    {"", nil},
		"one":                       {"shop/a/1", []Owner{a}},
		"two":                       {"shop/a/1,shop/b/2", []Owner{a, b}},
		"what names no Component":   {"shop/a,,/b/2,shop/b/2,shop/c/3/4", []Owner{b}},
		"an entry without its name": {"shop//1", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Sharers(map[string]string{corev1alpha1.SharedByAnnotation: tc.text})); diff != "" {
				t.Errorf("sharers (-want +got):\n%s", diff)
			}
		})
	}
	if got, want := SharersText([]Owner{b, a, b}), "shop/a/1,shop/b/2"; got != want {
		t.Errorf("got text %q, want %q", got, want)
	}
}
