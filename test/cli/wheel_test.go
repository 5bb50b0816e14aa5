// Package cli runs the wheel command as people do: fleets that come up, stay, are interrupted and end, and never leave a
// process behind.
package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wheelwright.dev/wheelwright/fleet/build"
)

var wheel string

func TestMain(m *testing.M) {
	binaries, err := build.Wheelwright(context.Background(), os.Stderr)
	if err == nil {
		_, err = build.ControlPlane(context.Background(), os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	wheel = filepath.Join(binaries, "wheel")
	os.Exit(m.Run())
}

// run runs wheel to its end and returns what it printed and its exit code.
func run(t *testing.T, args ...string) (output string, code int) {
	t.Helper()
	content, err := exec.CommandContext(t.Context(), wheel, args...).CombinedOutput()
	return string(content), exitCode(t, err)
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0
}

func want(t *testing.T, output string, code, wantCode int, parts ...string) {
	t.Helper()
	if code != wantCode {
		t.Errorf("exit code %d, want %d, after:\n%s", code, wantCode, output)
	}
	for _, part := range parts {
		if !strings.Contains(output, part) {
			t.Errorf("%q is not in:\n%s", part, output)
		}
	}
}

func TestUpAndDown(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fleet")
	output, code := run(t, "up", "--dir", dir)
	want(t, output, code, 0, "export KUBECONFIG="+dir+"/kubeconfig", "hub, dev-eu, prod-eu", "wheel down --dir "+dir)
	t.Cleanup(func() {
		if t.Failed() {
			_ = exec.Command(wheel, "down", "--dir", dir).Run() // it may be down already
		}
	})

	output, code = run(t, "up", "--dir", dir)
	want(t, output, code, 1, "already running", "wheel down --dir "+dir)
	output, code = run(t, "demo", "--dir", dir)
	want(t, output, code, 1, "already running")

	t.Setenv("KUBECONFIG", filepath.Join(dir, "kubeconfig"))
	output, code = run(t, "get", "application", "shop", "-n", "shop")
	want(t, output, code, 1, `"shop" not found`)
	output, code = run(t, "get", "application", "shop", "-n", "shop", "--context", "mars")
	want(t, output, code, 1, "mars")
	definitions(t)

	output, code = run(t, "down", "--dir", dir)
	want(t, output, code, 0, "ending the fleet")
	nothingRuns(t, dir)
	output, code = run(t, "down", "--dir", dir)
	want(t, output, code, 1, "no fleet is running in "+dir)
}

// definitions brings those of the examples to the hub and to a spoke.
func definitions(t *testing.T) {
	t.Helper()
	const examples = "../../examples/definitions"
	output, code := run(t, "def", "diff", examples)
	want(t, output, code, 1, "Only in the folder: ComponentDefinition site (component/site)", "Next: wheel def apply "+examples)
	for _, context := range []string{"hub", "dev-eu"} {
		output, code = run(t, "def", "apply", examples, "--context", context)
		want(t, output, code, 0, "TraitDefinition       labelled    created", "Next: wheel schema NAME --definitions "+examples)
		output, code = run(t, "def", "diff", examples, "--context", context)
		want(t, output, code, 0, "are on the cluster as they are there")
	}
	output, code = run(t, "def", "diff", examples, "--context", "mars")
	want(t, output, code, 2, "mars")
}

func TestATakenPortIsNamed(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
	for _, command := range []string{"up", "demo"} {
		dir := filepath.Join(t.TempDir(), "fleet")
		output, code := run(t, command, "--dir", dir, "--hub-port", port)
		want(t, output, code, 1, port, "taken")
		nothingRuns(t, dir)
	}
}

// Interrupted or killed at any moment, nothing stays behind.
func TestInterruptions(t *testing.T) {
	moments := []time.Duration{100 * time.Millisecond, time.Second, 4 * time.Second, 9 * time.Second}
	for _, command := range []string{"demo", "up"} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
			for _, after := range moments {
				t.Run(fmt.Sprintf("%s/%s/%s", command, signal, after), func(t *testing.T) {
					interrupt(t, command, signal, after)
				})
			}
		}
	}
}

func interrupt(t *testing.T, command string, signal syscall.Signal, after time.Duration) {
	dir := filepath.Join(t.TempDir(), "fleet")
	var output bytes.Buffer
	process := exec.CommandContext(t.Context(), wheel, command, "--dir", dir)
	process.Stdout, process.Stderr = &output, &output
	process.WaitDelay = 30 * time.Second
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	moment := time.AfterFunc(after, func() { _ = process.Process.Signal(signal) }) // it may have ended
	defer moment.Stop()
	code := exitCode(t, process.Wait())
	if status, ok := process.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		nothingRuns(t, dir) // killed, or interrupted before it had begun to listen
		return
	}
	if code == 0 && command == "up" { // it was up before the moment
		out, code := run(t, "down", "--dir", dir)
		want(t, out, code, 0)
	}
	if code != 0 && (code != 130 || !strings.Contains(output.String(), "interrupted")) {
		t.Errorf("exit code %d after:\n%s", code, output.String())
	}
	nothingRuns(t, dir)
}

// nothingRuns waits until no process names the folder. Children of a killed process are ended by the kernel at once, but
// take a moment to be gone.
func nothingRuns(t *testing.T, dir string) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		left := processesIn(t, dir)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still running: %s", strings.Join(left, "\n"))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func processesIn(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && bytes.Contains(line, []byte(dir)) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}
