package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// An Application holds at most 100 components, so 500 are five of them.
const (
	applications = 5
	components   = 100
)

// memory measures the resident memory of the hub manager and of the agent, idle and with 500 components. The floor is what
// each needs idle.
func (b *bench) memory(ctx context.Context) ([]record, error) {
	hubIdle, agentIdle, err := b.resident()
	if err != nil {
		return nil, err
	}
	var apps []*corev1alpha1.Application
	for i := range applications {
		app := b.newApplication(fmt.Sprintf("many%d", i), components)
		if err := b.hubClient.Create(ctx, app); err != nil {
			return nil, err
		}
		apps = append(apps, app)
	}
	for _, app := range apps {
		if err := b.awaitReady(ctx, app, 10*time.Minute); err != nil {
			return nil, err
		}
	}
	hubFull, agentFull, err := b.resident()
	if err != nil {
		return nil, err
	}
	for _, app := range apps {
		if err := b.remove(ctx, app); err != nil {
			return nil, err
		}
	}
	return []record{
		newRecord("hub-memory-500", "MiB", hubFull, hubIdle, "reported; the floor is the same process idle"),
		newRecord("agent-memory-500", "MiB", agentFull, agentIdle, "reported; the floor is the same process idle"),
	}, nil
}

func (b *bench) resident() (hub, agent float64, err error) {
	if hub, err = residentOf(b.fleet.Pods(b.fleet.Hub().Name).Pods()[0].Pid); err != nil {
		return 0, 0, err
	}
	agent, err = residentOf(b.fleet.Pods(b.spoke).Pods()[0].Pid)
	return hub, agent, err
}

// residentOf is a process's resident set in MiB, as Linux counts it.
func residentOf(pid int) (float64, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(content)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("process %d tells nothing of its memory", pid)
}
