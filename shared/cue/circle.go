package cue

import (
	"fmt"
	"slices"
	"strings"
)

// circles finds outputs that wait for each other: none of them could ever be rendered.
func circles(entries []outputEntry) []Problem {
	waits := map[string][]string{}
	for _, entry := range entries {
		for _, reference := range entry.Waits {
			waits[entry.Name] = append(waits[entry.Name], reference.Output)
		}
	}
	found := FindCircle(waits)
	if found == nil {
		return nil
	}
	problem := Problem{Path: found[0], Message: CircleMessage(found)}
	for _, entry := range entries {
		if entry.Name == found[0] {
			problem.Position = formatPosition(entry.at.Pos())
		}
	}
	return []Problem{problem}
}

// CircleMessage says which outputs wait for each other.
func CircleMessage(circle []string) string {
	if len(circle) == 1 {
		return fmt.Sprintf("output %s reads its own live object and cannot be rendered before it is there: "+
			"say what holds until then, as *context.outputs... | \"\"", circle[0])
	}
	return fmt.Sprintf("outputs read each other's live objects and none can be rendered first: %s",
		strings.Join(append(slices.Clone(circle), circle[0]), " reads "))
}

// FindCircle gives the names along a circle of edges, or nil.
func FindCircle(edges map[string][]string) []string {
	done := map[string]bool{}
	var path []string
	var visit func(name string) []string
	visit = func(name string) []string {
		if at := slices.Index(path, name); at >= 0 {
			return slices.Clone(path[at:])
		}
		if done[name] {
			return nil
		}
		done[name] = true
		path = append(path, name)
		for _, next := range edges[name] {
			if found := visit(next); found != nil {
				return found
			}
		}
		path = path[:len(path)-1]
		return nil
	}
	for _, name := range sortedKeys(edges) {
		if found := visit(name); found != nil {
			return found
		}
	}
	return nil
}
