package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// target is one fuzz function.
type target struct {
	// directory of the package, from the root of the module.
	directory string
	name      string
}

// findTargets asks the test binaries of all packages that have fuzz functions in their files.
func findTargets(ctx context.Context, only string) ([]target, error) {
	directories, err := directoriesWithTargets()
	if err != nil {
		return nil, err
	}
	var found []target
	for _, directory := range directories {
		listed, err := exec.CommandContext(ctx, "go", "test", "-list", "^Fuzz", "./"+directory).Output()
		if err != nil {
			return nil, fmt.Errorf("listing the fuzz targets of %s: %w\n%s", directory, err, output(listed, err))
		}
		for line := range strings.Lines(string(listed)) {
			if name := strings.TrimSpace(line); strings.HasPrefix(name, "Fuzz") && strings.Contains(name, only) {
				found = append(found, target{directory: directory, name: name})
			}
		}
	}
	return found, nil
}

var declaration = regexp.MustCompile(`(?m)^func Fuzz`)

// directoriesWithTargets reads the test files, since building the tests of all packages would take minutes.
func directoriesWithTargets() ([]string, error) {
	var directories []string
	err := filepath.WalkDir(".", func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		directory := filepath.Dir(path)
		if declaration.Match(source) && (len(directories) == 0 || directories[len(directories)-1] != directory) {
			directories = append(directories, directory)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for fuzz targets: %w", err)
	}
	return directories, nil
}

// fuzz runs the target. The error says what was found, where the input lies and how to run it again.
func (t target) fuzz(ctx context.Context, length time.Duration, parallel int) error {
	fmt.Printf("%-40s ", t.directory+" "+t.name)
	// Shrinking every interesting input for a minute, as is the default, would leave no time to find any.
	command := exec.CommandContext(ctx, "go", "test", "-run=^$", "-fuzz=^"+t.name+"$", "-fuzztime="+length.String(),
		fmt.Sprintf("-parallel=%d", parallel), "-fuzzminimizetime=100x", "./"+t.directory)
	command.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", parallel))
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second
	started := time.Now()
	out, err := command.CombinedOutput()
	fmt.Printf("%6s  %s\n", time.Since(started).Round(time.Second), progress(out))
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted")
	case err == nil:
		return nil
	}
	return fmt.Errorf("%s found something: %w\n\n%s\n%s", t.name, err, findings(out), t.again(out))
}

// again says where the input lies that was found, and how to run it once more.
func (t target) again(out []byte) string {
	if match := writtenTo.FindSubmatch(out); match != nil {
		file := string(match[1])
		return fmt.Sprintf("input:     %s\nrun again: go test -run='%s/%s' ./%s\n", filepath.Join(t.directory, file), t.name, filepath.Base(file), t.directory)
	}
	if match := ofSeed.FindSubmatch(out); match != nil {
		return fmt.Sprintf("input:     a seed, in the function or in %s\nrun again: go test -run='%s' ./%s\n",
			filepath.Join(t.directory, "testdata/fuzz", t.name), match[1], t.directory)
	}
	return ""
}

var (
	writtenTo = regexp.MustCompile(`Failing input written to (\S+)`)
	ofSeed    = regexp.MustCompile(`failure while testing seed corpus entry: (\S+)`)
)

// progress is what the last line of progress counted.
func progress(out []byte) string {
	last := ""
	for line := range strings.Lines(string(out)) {
		if _, counted, ok := strings.Cut(line, "execs: "); ok {
			last = counted
		}
	}
	executions, _, _ := strings.Cut(last, " ")
	if executions == "" {
		return "only what was there before"
	}
	return executions + " executions"
}

// findings is the output without its lines of progress.
func findings(out []byte) string {
	var kept strings.Builder
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "fuzz: elapsed:") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// output is what a failed command said.
func output(standard []byte, err error) string {
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return string(standard) + string(failed.Stderr)
	}
	return string(standard)
}
