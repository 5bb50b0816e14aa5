package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memory is the most that was resident at once, in bytes, in each half.
type memory struct{ first, second uint64 }

// during runs work and notes in most, if that is not nil, what is resident meanwhile.
func (*memory) during(most *uint64, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ticker.C:
			now, err := resident()
			if err != nil {
				return err
			}
			if most != nil {
				*most = max(*most, now)
			}
		}
	}
}

// resident is what this process and its children have in memory, in bytes.
func resident() (uint64, error) {
	sum, err := residentOf("self")
	if err != nil {
		return 0, err
	}
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return 0, err
	}
	for _, list := range lists {
		children, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, child := range strings.Fields(string(children)) {
			if one, err := residentOf(child); err == nil { // or it has ended
				sum += one
			}
		}
	}
	return sum, nil
}

func residentOf(process string) (uint64, error) {
	file, err := os.Open(filepath.Join("/proc", process, "status"))
	if err != nil {
		return 0, fmt.Errorf("memory can be watched on Linux only: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			kibibytes, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(text), " kB"), 10, 64)
			return kibibytes << 10, err
		}
	}
	return 0, fmt.Errorf("process %s has no VmRSS: %w", process, os.ErrNotExist)
}
