package main

import (
	"context"
	"fmt"
	"time"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/test/resident"
)

// An Application holds at most 100 components, so 500 are five of them.
const (
	applications = 5
	components   = 100
)

// memory measures the resident memory of the hub manager and of the agent, their worker processes among it, idle and with 500
// components. The floor is what
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

// residentOf is what a process has in memory with its worker processes, in MiB.
func residentOf(pid int) (float64, error) {
	bytes, err := resident.WithChildren(pid)
	return float64(bytes) / (1 << 20), err
}
