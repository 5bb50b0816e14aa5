package build

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// errorLines bounds how much of the compiler's output an error repeats.
const errorLines = 40

// compiledPackage matches what `go build -v` prints for each package that it compiles.
var compiledPackage = regexp.MustCompile(`^[^\s:#]+$`)

// goTool runs the go command in one folder and tells what it does line by line.
type goTool struct {
	dir string
	env []string // KEY=value pairs besides the environment of this program

	// onDownload is called with the number of modules downloaded so far, onCompile with that
	// of packages compiled so far. Both may be nil.
	onDownload func(modules int)
	onCompile  func(packages int)
}

// run executes `go args...` and returns its standard output. A failure carries the error
// lines that the go command or the compiler printed.
func (g goTool) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = g.dir
	// A go.work file of the user's must not change what is built here.
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), g.env...)
	// The compilers are children of the go command: they end with it only as its group.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = 5 * time.Second
	var stdout strings.Builder
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("go %s: %w: install Go from https://go.dev/dl", args[0], err)
	}
	problems := g.follow(stderr)
	err = cmd.Wait()
	if ctx.Err() != nil {
		return "", fmt.Errorf("go %s: %w", args[0], ctx.Err())
	}
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, strings.Join(problems, "\n"))
	}
	return stdout.String(), nil
}

// follow reads the go command's standard error to its end, counts downloads and compiled
// packages, and returns all other lines.
func (g goTool) follow(stderr io.Reader) (problems []string) {
	downloaded, compiled := 0, 0
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "go: downloading "):
			downloaded++
			if g.onDownload != nil {
				g.onDownload(downloaded)
			}
		case compiledPackage.MatchString(line):
			compiled++
			if g.onCompile != nil {
				g.onCompile(compiled)
			}
		case len(problems) < errorLines:
			problems = append(problems, "  "+line)
		}
	}
	// An overlong line ends the scan early; the rest has to be read for the command to end.
	_, _ = io.Copy(io.Discard, stderr)
	return problems
}
