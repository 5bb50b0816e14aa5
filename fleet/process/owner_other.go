//go:build !linux

package process

import (
	"os/exec"
	"sync"
	"syscall"
)

// ownedByParent makes a child the leader of its own process group. Only Linux can promise that
// it ends with this program even when that is killed.
func ownedByParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// reap waits until the child ends and returns with the signal lock held. Only Linux can wait
// without reaping, so elsewhere there is a moment in which a signal may meet a process that has
// just been given the child's id.
func reap(cmd *exec.Cmd, signals sync.Locker) error {
	err := cmd.Wait()
	signals.Lock()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return err
}
