//go:build linux && !race

package worker

import (
	"os"

	"golang.org/x/sys/unix"
)

// dataReserve is what Go's runtime maps beside what it uses.
const dataReserve = 512 << 20

// limitData has the kernel refuse what goes far beyond memory at once, before the next look at it. Where it cannot, the
// watch has to do.
func limitData(memory uint64) {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // rather a worker than the program
	bound := memory + dataReserve
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: bound, Max: bound})
}
