package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// roleVariable makes the test binary play one of the roles below instead of running tests.
const roleVariable = "PROCESS_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVariable); role {
	case "":
		os.Exit(m.Run())
	case "stay": // until a signal ends it
		fmt.Println("up")
		select {}
	case "stubborn": // also after SIGTERM
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("up")
		select {}
	case "fail":
		fmt.Println("about to fail")
		fmt.Fprintln(os.Stderr, "no such luck")
		os.Exit(3)
	case "leave": // with exit code 0, and a child in its process group
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), roleVariable+"=stay")
		if err := child.Start(); err != nil {
			panic(err)
		}
		fmt.Println(child.Process.Pid)
	case "parent":
		playParent()
	default:
		panic("unknown role " + role)
	}
}

// playParent starts children, tells their pids, and waits to be killed.
func playParent() {
	for i := range 3 {
		child, err := Start(context.Background(), Spec{
			Name: fmt.Sprint("child", i), Path: os.Args[0], Env: []string{roleVariable + "=stay"},
		})
		if err != nil {
			panic(err)
		}
		fmt.Println(child.Pid())
	}
	fmt.Println("done")
	select {}
}

// start starts the test binary in a role and waits for its first line of output.
func start(t *testing.T, ctx context.Context, role string) *Process {
	t.Helper()
	p, err := Start(ctx, Spec{
		Name:    role,
		Path:    os.Args[0],
		Env:     []string{roleVariable + "=" + role},
		LogFile: filepath.Join(t.TempDir(), "log"),
		Grace:   200 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	})
	eventually(t, role+" says something", func() bool { return len(p.LogTail()) > 0 })
	return p
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("still waiting: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// alive reports whether a process exists and is more than an entry that waits for its parent.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, afterName, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(afterName, "Z")
}

func TestStopEndsProcess(t *testing.T) {
	for _, role := range []string{"stay", "stubborn"} {
		t.Run(role, func(t *testing.T) {
			p := start(t, t.Context(), role)
			if err := p.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			<-p.Done()
			if alive(p.Pid()) {
				t.Error("process is still there after Stop")
			}
			if err := p.Err(); err != nil {
				t.Errorf("Err after an end that was asked for: %v", err)
			}
			if err := p.Stop(t.Context()); err != nil {
				t.Errorf("second Stop: %v", err)
			}
		})
	}
}

func TestStopDoesNotWaitForGraceWhenContextIsOver(t *testing.T) {
	p, err := Start(t.Context(), Spec{
		Name: "stubborn", Path: os.Args[0], Env: []string{roleVariable + "=stubborn"}, Grace: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Stop(over); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
}

func TestContextEndsProcess(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := start(t, ctx, "stubborn")
	cancel()
	<-p.Done()
	if err := p.Err(); err != nil {
		t.Errorf("Err after the context ended: %v", err)
	}
	if _, err := Start(ctx, Spec{Name: "late", Path: os.Args[0]}); !errors.Is(err, context.Canceled) {
		t.Errorf("Start after the context ended: %v", err)
	}
}

func TestUnexpectedExitTellsWhatHappened(t *testing.T) {
	p := start(t, t.Context(), "fail")
	<-p.Done()
	var exit *ExitError
	if !errors.As(p.Err(), &exit) {
		t.Fatalf("Err = %v, want an ExitError", p.Err())
	}
	if exit.Code != 3 || exit.Name != "fail" {
		t.Errorf("got %q with code %d, want fail with 3", exit.Name, exit.Code)
	}
	for _, want := range []string{"fail exited with code 3", "about to fail", "no such luck", exit.LogFile} {
		if !strings.Contains(exit.Error(), want) {
			t.Errorf("error lacks %q: %v", want, exit)
		}
	}
}

func TestExitBySignalIsNamed(t *testing.T) {
	p := start(t, t.Context(), "stay")
	if err := syscall.Kill(p.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	var exit *ExitError
	if !errors.As(p.Err(), &exit) || exit.Signal != syscall.SIGKILL {
		t.Fatalf("Err = %v, want an ExitError with SIGKILL", p.Err())
	}
}

func TestExitTakesProcessGroupAlong(t *testing.T) {
	p := start(t, t.Context(), "leave")
	<-p.Done()
	var exit *ExitError
	if !errors.As(p.Err(), &exit) || exit.Code != 0 {
		t.Fatalf("Err = %v, want an ExitError with code 0: nobody asked for the end", p.Err())
	}
	grandchild, err := strconv.Atoi(p.LogTail()[0])
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the grandchild is gone", func() bool { return !alive(grandchild) })
}

func TestLogIsAppendedAndTailIsOfThisRun(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte("an earlier run\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Start(t.Context(), Spec{Name: "fail", Path: os.Args[0], Env: []string{roleVariable + "=fail"}, LogFile: log})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if strings.Contains(p.Err().Error(), "an earlier run") {
		t.Errorf("error quotes another run: %v", p.Err())
	}
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(content), "an earlier run\nabout to fail\n") {
		t.Errorf("log does not hold both runs:\n%s", content)
	}
}

func TestMissingProgramIsAnError(t *testing.T) {
	_, err := Start(t.Context(), Spec{Name: "ghost", Path: filepath.Join(t.TempDir(), "ghost")})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "start ghost") {
		t.Errorf("got %v", err)
	}
}

func TestKilledParentLeavesNoChild(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = []string{roleVariable + "=parent"}
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var children []int
	for lines := bufio.NewScanner(stdout); lines.Scan() && lines.Text() != "done"; {
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		children = append(children, pid)
	}
	if len(children) != 3 || !alive(children[0]) {
		t.Fatalf("parent did not start its children: %v", children)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	for _, pid := range children {
		eventually(t, fmt.Sprintf("child %d is gone", pid), func() bool { return !alive(pid) })
	}
}
