package process

import (
	"os/exec"
	"sync"
	"syscall"
)

// waitByPid is P_PID of waitid(2).
const waitByPid = 1

// ownedByParent makes a child the leader of its own process group, which the kernel kills when
// the thread that forked it ends.
func ownedByParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// reap waits until the child ends, kills what it has left in its process group, and reaps it.
// It returns with the signal lock held: from the reaping on, another process may get the
// child's id, so that nobody may send signals to it any more. The group goes before, while the
// unreaped child still keeps the id from being used again.
func reap(cmd *exec.Cmd, signals sync.Locker) error {
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, waitByPid, uintptr(cmd.Process.Pid), 0,
			syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if errno != syscall.EINTR {
			break
		}
	}
	signals.Lock()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return cmd.Wait()
}
