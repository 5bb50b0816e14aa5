package process

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
)

// The kernel kills a child when the thread that forked it ends. A goroutine that is locked to
// its thread takes the thread along when it returns.
func TestProcessOutlivesThreadThatStartedIt(t *testing.T) {
	p, thread := startOnEndingThread(t)
	eventually(t, "the thread ends", func() bool {
		_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", thread))
		return os.IsNotExist(err)
	})
	if !alive(p.Pid()) {
		t.Fatalf("the process ended with the thread: %v", p.Err())
	}
}

// startOnEndingThread starts a process from a thread that ends after that. The program's main
// thread never ends, so a goroutine that gets that one keeps it and lets another one try.
func startOnEndingThread(t *testing.T) (*Process, int) {
	type result struct {
		process *Process
		thread  int
	}
	results := make(chan result)
	var try func()
	try = func() {
		runtime.LockOSThread()
		thread := syscall.Gettid()
		if thread == os.Getpid() {
			go try()
			<-t.Context().Done()
			return
		}
		p, err := Start(t.Context(), Spec{Name: "stay", Path: os.Args[0], Env: []string{roleVariable + "=stay"}})
		if err != nil {
			t.Error(err)
		}
		results <- result{p, thread}
	}
	go try()
	got := <-results
	return got.process, got.thread
}
