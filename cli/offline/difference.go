package offline

import "fmt"

// around is how many lines that are the same are shown about those that differ.
const around = 3

// difference is how two texts differ, line by line: "-" before what only the first has, "+" before what only the second has
// and " " before what is the same, of which little is shown.
func difference(first, second []string) []string {
	all := align(first, second)
	near := make([]bool, len(all))
	for i, line := range all {
		if line[0] == ' ' {
			continue
		}
		for j := max(0, i-around); j <= min(len(all)-1, i+around); j++ {
			near[j] = true
		}
	}
	var shown []string
	left := 0
	for i, line := range all {
		if !near[i] {
			left++
			continue
		}
		if left > 0 {
			shown = append(shown, fmt.Sprintf("  … %d unchanged", left))
			left = 0
		}
		shown = append(shown, line)
	}
	if left > 0 {
		shown = append(shown, fmt.Sprintf("  … %d unchanged", left))
	}
	return shown
}

// align puts two texts beside each other along the longest sequence of lines that both have.
func align(first, second []string) []string {
	common := commonLengths(first, second)
	var lines []string
	i, j := 0, 0
	for i < len(first) && j < len(second) {
		switch {
		case first[i] == second[j]:
			lines = append(lines, "  "+first[i])
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			lines = append(lines, "- "+first[i])
			i++
		default:
			lines = append(lines, "+ "+second[j])
			j++
		}
	}
	for ; i < len(first); i++ {
		lines = append(lines, "- "+first[i])
	}
	for ; j < len(second); j++ {
		lines = append(lines, "+ "+second[j])
	}
	return lines
}

// commonLengths has, at [i][j], the length of the longest common sequence of first[i:] and second[j:].
func commonLengths(first, second []string) [][]int {
	lengths := make([][]int, len(first)+1)
	for i := range lengths {
		lengths[i] = make([]int, len(second)+1)
	}
	for i := len(first) - 1; i >= 0; i-- {
		for j := len(second) - 1; j >= 0; j-- {
			if first[i] == second[j] {
				lengths[i][j] = lengths[i+1][j+1] + 1
				continue
			}
			lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
		}
	}
	return lengths
}
