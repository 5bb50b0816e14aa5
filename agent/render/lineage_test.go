package render

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

func TestLineage(t *testing.T) {
	for name, tc := range map[string]struct {
		above, own, child string
		// want is the annotation of the child, or refused a part of the error.
		want, refused string
	}{
		"the outermost":        {"", "stack", "web", "stack", ""},
		"below others":         {"a,b", "c", "d", "a,b,c", ""},
		"the last one allowed": {"a,b,c,d,e,f", "g", "h", "a,b,c,d,e,f,g", ""},
		"one too many":         {"a,b,c,d,e,f,g", "h", "i", "", "Component number 9 that lies within another one, of at most 8: a > b > c > d > e > f > g > h > i"},
		"itself":               {"", "a", "a", "", "would be part of itself: a > a"},
		"by way of others":     {"a,b", "c", "b", "", "would be part of itself: a > b > c > b"},
	} {
		t.Run(name, func(t *testing.T) {
			parent := &corev1alpha1.Component{Spec: corev1alpha1.ComponentSpec{Type: tc.own}}
			if tc.above != "" {
				parent.Annotations = map[string]string{corev1alpha1.ComposedByAnnotation: tc.above}
			}
			child := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"type": tc.child}}}
			child.SetAnnotations(map[string]string{"other": "stays"})
			err := lineageOf(parent).mark(child)
			refused := (*CompositionError)(nil)
			switch {
			case tc.refused != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), tc.refused)):
				t.Errorf("got %v, want %q", err, tc.refused)
			case tc.refused == "" && err != nil:
				t.Error(err)
			case child.GetAnnotations()[corev1alpha1.ComposedByAnnotation] != tc.want || child.GetAnnotations()["other"] != "stays":
				t.Errorf("got annotations %v, want %q", child.GetAnnotations(), tc.want)
			}
		})
	}
}
