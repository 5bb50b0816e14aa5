package offline

import "fmt"

// around is how many lines that are the same are shown about those that differ.
const around = 3

// maxCells bounds what is compared line by line, and with it memory. Of more, all is shown.
const maxCells = 4 << 20

// Difference is how two texts differ, line by line: "-" before what only the first has, "+" before what only the second has
// and " " before what is the same, of which little is shown.
func Difference(first, second []string) []string {
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
	head := 0
	for head < min(len(first), len(second)) && first[head] == second[head] {
		head++
	}
	tail := 0
	for tail < min(len(first), len(second))-head && first[len(first)-1-tail] == second[len(second)-1-tail] {
		tail++
	}
	var lines []string
	for _, line := range first[:head] {
		lines = append(lines, "  "+line)
	}
	lines = append(lines, alignUnlike(first[head:len(first)-tail], second[head:len(second)-tail])...)
	for _, line := range first[len(first)-tail:] {
		lines = append(lines, "  "+line)
	}
	return lines
}

// alignUnlike aligns texts that neither begin nor end alike.
func alignUnlike(first, second []string) []string {
	var lines []string
	i, j := 0, 0
	if len(first)*len(second) <= maxCells {
		common := commonLengths(first, second)
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
