package process

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

const (
	tailLines = 12
	tailBytes = 16 << 10
	lineBytes = 400
)

// ExitError tells of a process that ended though nobody had asked it to.
type ExitError struct {
	Name string
	// Code is the exit code, or -1 when a signal ended the process.
	Code int
	// Signal is what ended the process, or 0.
	Signal syscall.Signal
	// LogFile is where its whole output is; empty when that was dropped.
	LogFile string
	// LogTail are the last lines of its output.
	LogTail []string
}

// Error names the process, how it ended, and what it said last.
func (e *ExitError) Error() string {
	how := fmt.Sprintf("exited with code %d", e.Code)
	if e.Signal != 0 {
		how = fmt.Sprintf("was ended by signal %d (%s)", e.Signal, e.Signal)
	}
	switch {
	case e.LogFile == "":
		return fmt.Sprintf("%s %s", e.Name, how)
	case len(e.LogTail) == 0:
		return fmt.Sprintf("%s %s without a word in %s", e.Name, how, e.LogFile)
	}
	return fmt.Sprintf("%s %s; the end of %s:\n  %s", e.Name, how, e.LogFile, strings.Join(e.LogTail, "\n  "))
}

func (p *Process) exitError(state *os.ProcessState) *ExitError {
	exit := &ExitError{Name: p.spec.Name, Code: state.ExitCode(), LogFile: p.spec.LogFile, LogTail: p.LogTail()}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		exit.Signal = status.Signal()
	}
	return exit
}

// LogTail returns the last lines that this run of the process wrote, shortened where they are
// very long; none when it has no log file or that cannot be read.
func (p *Process) LogTail() []string {
	if p.spec.LogFile == "" {
		return nil
	}
	file, err := os.Open(p.spec.LogFile)
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	start := max(p.logOffset, info.Size()-tailBytes)
	content, err := io.ReadAll(io.NewSectionReader(file, start, info.Size()-start))
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	lines = lines[max(0, len(lines)-tailLines):]
	for i, line := range lines {
		if len(line) > lineBytes {
			lines[i] = strings.ToValidUTF8(line[:lineBytes], "") + "..."
		}
	}
	return lines
}
