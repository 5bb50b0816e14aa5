package process

import (
	"os/exec"
	"runtime"
	"sync"
)

// fork starts the command on the one thread that all children of this program belong to.
//
// The kernel kills a child when the *thread* that forked it ends, not when the program does,
// and the Go runtime ends threads as it likes. So one goroutine keeps a thread to itself for
// as long as the program lives and does all the forking.
func fork(cmd *exec.Cmd) error {
	result := make(chan error, 1)
	forks() <- forkRequest{cmd: cmd, result: result}
	return <-result
}

type forkRequest struct {
	cmd    *exec.Cmd
	result chan<- error
}

// forks starts the forking goroutine at the first use and returns the channel that it reads.
// There can be only one per program, and it must never end: that is why it is global.
var forks = sync.OnceValue(func() chan<- forkRequest {
	requests := make(chan forkRequest)
	go func() {
		runtime.LockOSThread()
		for request := range requests {
			request.result <- request.cmd.Start()
		}
	}()
	return requests
})
