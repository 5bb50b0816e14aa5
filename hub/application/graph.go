package application

import (
	"slices"
	"strings"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// levels groups components so that each one comes after all that it depends on, keeping the order of the spec within a
// level. When dependencies go round in a circle it returns that circle instead.
func levels(components []corev1alpha1.ApplicationComponent) (levels [][]string, cycle []string) {
	depth := map[string]int{}
	byName := make(map[string]corev1alpha1.ApplicationComponent, len(components))
	for _, c := range components {
		byName[c.Name] = c
	}
	for _, c := range components {
		if cycle := measure(c.Name, byName, depth, nil); cycle != nil {
			return nil, cycle
		}
	}
	for _, c := range components {
		for len(levels) <= depth[c.Name] {
			levels = append(levels, nil)
		}
		levels[depth[c.Name]] = append(levels[depth[c.Name]], c.Name)
	}
	return levels, nil
}

// measure sets the depth of a component, the length of the longest chain that it stands on, and returns the circle that it
// ran into, if any.
func measure(name string, byName map[string]corev1alpha1.ApplicationComponent, depth map[string]int, path []string) []string {
	if at := slices.Index(path, name); at >= 0 {
		return append(slices.Clone(path[at:]), name)
	}
	if _, done := depth[name]; done {
		return nil
	}
	deepest := 0
	for _, dependency := range byName[name].DependsOn {
		if cycle := measure(dependency.Name, byName, depth, append(path, name)); cycle != nil {
			return cycle
		}
		deepest = max(deepest, depth[dependency.Name]+1)
	}
	depth[name] = deepest
	return nil
}

func describeCycle(cycle []string) string { return strings.Join(cycle, " → ") }
