package cue

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Every render has other values. The heap after many of them must be what it was after a few.
// 16 bytes kept of each would show.
func TestMemoryStaysFlat(t *testing.T) {
	const renders, perRender = 5_000, 16
	grown := growth(t, renders, func(n int) string {
		return fmt.Sprintf(`{"config":{"key":"%s-%d"}}`, strings.Repeat("v", 500), n)
	})
	if grown > renders*perRender {
		t.Errorf("the heap grew by %d KiB", grown>>10)
	}
}

// Every render has another field name, which CUE keeps for as long as the process lives. Nothing else may be kept with it.
func TestMemoryGrowsByFieldNamesOnly(t *testing.T) {
	const renders, nameBytes, overhead = 3_000, 500, 200
	grown := growth(t, renders, func(n int) string {
		return fmt.Sprintf(`{"config":{"%s-%d":"value"}}`, strings.Repeat("k", nameBytes), n)
	})
	if allowed := int64(renders * (nameBytes + overhead)); grown > allowed {
		t.Errorf("the heap grew by %d KiB, more than the %d KiB that the names need", grown>>10, allowed>>10)
	}
}

// growth renders again and again, each time with the properties for the number of the render, and tells by how much the
// heap grew.
func growth(t *testing.T, renders int, properties func(n int) string) int64 {
	t.Helper()
	template := compile(t, `
parameters: config: [string]: string
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", data: parameters.config}}]`)
	render := func(n int) {
		if _, err := template.Render(Context{Name: "web"}, []byte(properties(n))); err != nil {
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
	return int64(heap()) - int64(before)
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
