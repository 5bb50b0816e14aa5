package cue

import (
	"slices"
	"strconv"
	"strings"
)

// maxNamed bounds the names that are held against each other, as the time for that grows with the product of their lengths.
const maxNamed = 100

// nearest is the candidate that a person who wrote name most likely meant, or "" when none is near.
func nearest(name string, candidates []string) string {
	best, bestDistance := "", max(1, len(name)/3)+1
	for _, candidate := range slices.Sorted(slices.Values(candidates)) {
		if max(len(name), len(candidate)) > maxNamed {
			continue
		}
		if distance := editDistance(name, candidate); distance < bestDistance {
			best, bestDistance = candidate, distance
		}
	}
	return best
}

// editDistance counts the insertions, deletions, substitutions and swaps of neighbours between a and b (optimal string
// alignment).
func editDistance(a, b string) int {
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := range len(a) {
		current[0] = i + 1
		for j := range len(b) {
			substitution := previous[j]
			if a[i] != b[j] {
				substitution++
			}
			current[j+1] = min(previous[j+1]+1, current[j]+1, substitution)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				current[j+1] = min(current[j+1], before[j-1]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}

// quotedList is names in a stable order, each in quotes.
func quotedList(names []string) string {
	quoted := make([]string, 0, len(names))
	for _, name := range slices.Sorted(slices.Values(names)) {
		quoted = append(quoted, strconv.Quote(name))
	}
	return strings.Join(quoted, ", ")
}
