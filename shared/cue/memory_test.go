package cue

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// Each render uses labels that no other one uses, which is what a cue.Context keeps for ever. The heap after many renders
// must be what it was after a few.
func TestMemoryStaysFlat(t *testing.T) {
	renders := 20_000
	if testing.Short() {
		renders = 4_000
	}
	template := compile(t, `
parameters: config: [string]: string
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", data: parameters.config}}]`)
	render := func(n int) {
		properties := fmt.Appendf(nil, `{"config":{"key-%d-a":"%d","key-%d-b":"x"}}`, n, n, n)
		if _, err := template.Render(Context{Name: "web"}, properties); err != nil {
			t.Fatalf("Render: %v", err)
		}
	}
	for n := range 1_000 {
		render(n)
	}
	before := heap()
	for n := range renders {
		render(1_000 + n)
	}
	const allowed = 4 << 20
	if after := heap(); after > before+allowed {
		t.Errorf("the heap grew from %d KiB to %d KiB over %d renders", before>>10, after>>10, renders)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// Run under -race, this shows that evaluations of one template do not share what they write to.
func TestParallelEvaluations(t *testing.T) {
	compiler := NewCompiler(Options{MaxUses: 5})
	def := webservice(t)
	var group sync.WaitGroup
	for worker := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for n := range 20 {
				if err := evaluateAll(compiler, def, worker*100+n); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
}
