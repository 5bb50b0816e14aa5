package embedded

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"wheelwright.dev/wheelwright/fleet/loopback"
)

// forkingGoroutine lives as long as the program: see package process.
const forkingGoroutine = "wheelwright.dev/wheelwright/fleet/process.init.func1.1"

func TestStopLeavesNoProcessNoPortAndNoGoroutine(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	c := startTest(t, Options{})
	if got := len(c.Pids()); got != len(stopOrder) {
		t.Errorf("%d programs run, want %d: %v", got, len(stopOrder), c.Pids())
	}
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := processesIn(t, c.Dir()); len(left) > 0 {
		t.Errorf("processes are left:\n%s", strings.Join(left, "\n"))
	}
	for _, port := range []int{c.ports.apiServer, c.ports.etcdClient, c.ports.etcdPeer} {
		if err := loopback.CheckFree(port); err != nil {
			t.Error(err)
		}
	}
	if err := c.Err(); err != nil {
		t.Errorf("Err after Stop: %v", err)
	}
	select {
	case <-c.Done():
	default:
		t.Error("Done is open after Stop")
	}
	if err := c.Stop(t.Context()); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	goleak.VerifyNone(t, leaks, goleak.IgnoreAnyFunction(forkingGoroutine))
}

func TestKilledParentLeavesNoProcess(t *testing.T) {
	dir := t.TempDir()
	testAssets(t)
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), roleVariable+"="+dir)
	parent.Stderr = os.Stderr
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "up\n" {
		t.Fatalf("the parent said %q: %v", line, err)
	}
	if got := len(processesIn(t, dir)); got != len(stopOrder) {
		t.Errorf("%d programs run, want %d", got, len(stopOrder))
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	eventually(t, func() string { return strings.Join(processesIn(t, dir), "\n") })
}

func TestCancelledStartLeavesNoProcess(t *testing.T) {
	// The start has got this far when the program's log file appears.
	for _, program := range []string{etcd, apiServer, controllerManager, scheduler, kwok} {
		t.Run("at "+program, func(t *testing.T) {
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var watcher sync.WaitGroup
			watcher.Go(func() {
				for ctx.Err() == nil {
					if _, err := os.Stat(filepath.Join(dir, "logs", program+".log")); err == nil {
						cancel()
					}
					time.Sleep(time.Millisecond)
				}
			})
			_, err := Start(ctx, Options{Name: "cancelled", Dir: dir, Assets: testAssets(t)})
			watcher.Wait()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Start returned %v, want context.Canceled", err)
			}
			if left := processesIn(t, dir); len(left) > 0 {
				t.Errorf("processes are left:\n%s", strings.Join(left, "\n"))
			}
		})
	}
}

func TestTakenPortIsNamed(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	_, err = Start(t.Context(), Options{Name: "hub", Dir: t.TempDir(), Assets: testAssets(t), APIServerPort: port})
	if !errors.Is(err, syscall.EADDRINUSE) {
		t.Fatalf("Start returned %v, want EADDRINUSE", err)
	}
	for _, want := range []string{`control plane "hub"`, fmt.Sprintf("port %d is already taken", port), "choose another port"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q: %v", want, err)
		}
	}
}

// A port can be lost between the moment in which it is picked and that in which the program
// listens on it. The start then begins again with other ports.
func TestLostPortIsRecognised(t *testing.T) {
	for _, program := range []string{etcd, apiServer} {
		t.Run(program, func(t *testing.T) {
			c, err := prepare(Options{Name: "test", Dir: t.TempDir(), Assets: testAssets(t)})
			if err != nil {
				t.Fatal(err)
			}
			port := map[string]int{etcd: c.ports.etcdClient, apiServer: c.ports.apiServer}[program]
			listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			if _, err := c.start(t.Context()); !lostPort(err) {
				t.Errorf("got %v, which does not look like a lost port", err)
			}
		})
	}
}

func TestFixedPortIsUsed(t *testing.T) {
	free, err := loopback.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	c := startTest(t, Options{APIServerPort: free[0], NoNodes: true, NoScheduler: true})
	if want := fmt.Sprintf("https://127.0.0.1:%d", free[0]); c.RESTConfig().Host != want {
		t.Errorf("the API server is at %s, want %s", c.RESTConfig().Host, want)
	}
	if _, ok := c.Pids()[scheduler]; ok {
		t.Error("the scheduler runs though it was left out")
	}
	if _, ok := c.Pids()[kwok]; ok {
		t.Error("kwok runs though it was left out")
	}
}

func TestBrokenProgramFailsStartAtOnceWithItsLog(t *testing.T) {
	assets := testAssets(t)
	assets.Binary = filepath.Join(t.TempDir(), "broken")
	script := "#!/bin/sh\necho program $1 is broken >&2\nexit 7\n"
	if err := os.WriteFile(assets.Binary, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Name: "hub", Dir: t.TempDir(), Assets: assets})
	for _, want := range []string{`etcd of control plane "hub" exited with code 7`, "program etcd is broken"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q: %v", want, err)
		}
	}
}

func TestUsedFolderIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "etcd"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Name: "hub", Dir: dir, Assets: testAssets(t)})
	if err == nil || !strings.Contains(err.Error(), "holds the data of another control plane") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "etcd")); err != nil {
		t.Errorf("the other control plane's data is gone: %v", err)
	}
}

func TestSeveralStartTogether(t *testing.T) {
	names := []string{"hub", "spoke-1", "spoke-2"}
	planes := make([]*ControlPlane, len(names))
	assets := testAssets(t)
	started := time.Now()
	var group sync.WaitGroup
	for i, name := range names {
		dir := t.TempDir()
		group.Go(func() {
			c, err := Start(t.Context(), Options{Name: name, Dir: dir, Assets: assets})
			if err != nil {
				t.Error(err)
				return
			}
			planes[i] = c
		})
	}
	group.Wait()
	t.Logf("all %d were ready after %s", len(names), time.Since(started).Round(10*time.Millisecond))
	for _, c := range planes {
		if c == nil {
			continue
		}
		if err := c.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestKubeconfigIsPrivateAndNamedAsTheControlPlane(t *testing.T) {
	c := startTest(t, Options{Name: "spoke-7", NoNodes: true, NoScheduler: true})
	info, err := os.Stat(c.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the kubeconfig has mode %o, want 600", info.Mode().Perm())
	}
	loaded, err := clientcmd.LoadFromFile(c.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	if loaded.CurrentContext != "spoke-7" {
		t.Errorf("its context is %q, want spoke-7", loaded.CurrentContext)
	}
	version, err := testClient(t, c).Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if version.GitVersion != "v1.36.1" || version.Major != "1" || version.Minor != "36" {
		t.Errorf("the API server says that it is %+v, want v1.36.1", version)
	}
	if _, err := testClient(t, c).CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}
