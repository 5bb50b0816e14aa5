package application

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// needs makes components from name → what it depends on, in the order given.
func needs(edges ...[]string) []corev1alpha1.ApplicationComponent {
	var components []corev1alpha1.ApplicationComponent
	for _, edge := range edges {
		c := corev1alpha1.ApplicationComponent{Name: edge[0], Type: "webservice"}
		for _, name := range edge[1:] {
			c.DependsOn = append(c.DependsOn, corev1alpha1.Dependency{Name: name})
		}
		components = append(components, c)
	}
	return components
}

func TestLevels(t *testing.T) {
	cases := map[string]struct {
		components []corev1alpha1.ApplicationComponent
		levels     [][]string
		cycle      []string
	}{
		"One":        {needs([]string{"a"}), [][]string{{"a"}}, nil},
		"Chain":      {needs([]string{"c", "b"}, []string{"b", "a"}, []string{"a"}), [][]string{{"a"}, {"b"}, {"c"}}, nil},
		"Diamond":    {needs([]string{"d", "b", "c"}, []string{"b", "a"}, []string{"c", "a"}, []string{"a"}), [][]string{{"a"}, {"b", "c"}, {"d"}}, nil},
		"LongestWay": {needs([]string{"a"}, []string{"b", "a"}, []string{"c", "a", "b"}), [][]string{{"a"}, {"b"}, {"c"}}, nil},
		"Apart":      {needs([]string{"b"}, []string{"a"}), [][]string{{"b", "a"}}, nil},
		"Self":       {needs([]string{"a", "a"}), nil, []string{"a", "a"}},
		"Pair":       {needs([]string{"a", "b"}, []string{"b", "a"}), nil, []string{"a", "b", "a"}},
		"TailFirst":  {needs([]string{"x", "a"}, []string{"a", "b"}, []string{"b", "c"}, []string{"c", "a"}), nil, []string{"a", "b", "c", "a"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found, cycle := levels(c.components)
			if diff := cmp.Diff(c.levels, found); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.cycle, cycle); diff != "" {
				t.Error(diff)
			}
		})
	}
}
