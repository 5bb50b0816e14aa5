// Package resident reads what processes have in memory, as Linux counts it.
package resident

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// WithChildren is what a process and its children have in memory, in bytes: the worker processes of a program are part of what
// it needs. What they share, as the program's own text, counts once.
func WithChildren(pid int) (uint64, error) {
	sum, err := of(strconv.Itoa(pid))
	if err != nil {
		return 0, err
	}
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return 0, err
	}
	for _, list := range lists {
		children, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, child := range strings.Fields(string(children)) {
			if one, err := of(child); err == nil { // or it has ended
				sum += one
			}
		}
	}
	return sum, nil
}

func of(process string) (uint64, error) {
	file, err := os.Open(filepath.Join("/proc", process, "smaps_rollup"))
	if err != nil {
		return 0, fmt.Errorf("memory can be watched on Linux only: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "Pss:"); ok {
			kibibytes, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(text), " kB"), 10, 64)
			return kibibytes << 10, err
		}
	}
	return 0, fmt.Errorf("process %s has no Pss: %w", process, os.ErrNotExist)
}
