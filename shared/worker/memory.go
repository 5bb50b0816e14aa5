package worker

import (
	"runtime/metrics"
	"time"
)

// watchEvery is how often the memory in use is looked at.
const watchEvery = 20 * time.Millisecond

// Watch calls exceeded once this process uses more than memory bytes, and ends; or it ends with done, which may be nil.
func Watch(memory uint64, done <-chan struct{}, exceeded func()) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			if inUse() > memory {
				exceeded()
				return
			}
		}
	}
}

// inUse is what this process has of the machine's memory, in bytes.
func inUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	total, released := samples[0].Value.Uint64(), samples[1].Value.Uint64()
	return total - min(released, total)
}

// live is what the last collection of garbage left, in bytes.
func live() uint64 {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64()
}
