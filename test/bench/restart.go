package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"k8s.io/client-go/kubernetes"
)

// restartWrites restarts the agent and counts the writes until it has come to rest, and those in as much time without a restart.
func (b *bench) restartWrites(ctx context.Context) (record, error) {
	var none record
	if err := b.awaitRest(ctx); err != nil {
		return none, err
	}
	before, err := b.writes(ctx)
	if err != nil {
		return none, err
	}
	began := time.Now()
	if err := b.fleet.Pods(b.spoke).Restart(ctx); err != nil {
		return none, err
	}
	if err := b.awaitRest(ctx); err != nil {
		return none, err
	}
	took := time.Since(began)
	after, err := b.writes(ctx)
	if err != nil {
		return none, err
	}
	select { // as long as the restart took
	case <-time.After(took):
	case <-ctx.Done():
		return none, ctx.Err()
	}
	later, err := b.writes(ctx)
	restarted, quiet := after.since(before), later.since(after)
	return newRecord("restart-3000-writes", "writes", restarted.sum(), quiet.sum(), "none; the floor is as long without a restart; there were: "+restarted.String()), err
}

// writes are how many writes an API server has served, by verb and resource.
type writes map[string]float64

func (w writes) since(before writes) writes {
	made := writes{}
	for what, n := range w {
		if n > before[what] {
			made[what] = n - before[what]
		}
	}
	return made
}

func (w writes) sum() (sum float64) {
	for _, n := range w {
		sum += n
	}
	return sum
}

func (w writes) String() string {
	var parts []string
	for what, n := range w {
		parts = append(parts, fmt.Sprintf("%g %s", n, what))
	}
	slices.Sort(parts)
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// writes is how many writes the spoke's API server has served: all but those of leases and of nodes' heartbeats, which never stop,
// and reviews of tokens and rights, which write nothing.
func (b *bench) writes(ctx context.Context) (writes, error) {
	spoke, err := kubernetes.NewForConfig(b.fleet.Spokes()[0].Config)
	if err != nil {
		return nil, err
	}
	content, err := spoke.RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the API server's metrics: %w", err)
	}
	var parser expfmt.TextParser
	families, err := parser.TextToMetricFamilies(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("reading the API server's metrics: %w", err)
	}
	served := writes{}
	for _, metric := range families["apiserver_request_total"].GetMetric() {
		labels := map[string]string{}
		for _, label := range metric.GetLabel() {
			labels[label.GetName()] = label.GetValue()
		}
		if isWrite(labels) {
			served[labels["verb"]+" "+labels["resource"]] += metric.GetCounter().GetValue()
		}
	}
	return served, nil
}

func isWrite(labels map[string]string) bool {
	switch labels["verb"] {
	case "POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION":
	default:
		return false
	}
	switch labels["resource"] {
	case "leases", "nodes", "tokenreviews", "subjectaccessreviews", "selfsubjectaccessreviews":
		return false
	}
	return labels["subresource"] != "token"
}

// awaitRest waits until the agent has used next to no processor time for three seconds on end.
func (b *bench) awaitRest(ctx context.Context) error {
	const still, step = 3 * time.Second, 500 * time.Millisecond
	ticker := time.NewTicker(step)
	defer ticker.Stop()
	last, rested := -1.0, time.Duration(0)
	for rested < still {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the agent to come to rest: %w", ctx.Err())
		}
		used, err := processorTime(b.fleet.Pods(b.spoke).Pods()[0].Pid)
		if err != nil {
			return err
		}
		if last >= 0 && used-last < 0.02*step.Seconds() {
			rested += step
		} else {
			rested = 0
		}
		last = used
	}
	return nil
}

// processorTime of a process, in seconds.
func processorTime(pid int) (float64, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, fields, _ := strings.Cut(string(content), ") ")
	var user, system float64
	columns := strings.Fields(fields)
	if len(columns) < 13 {
		return 0, fmt.Errorf("process %d has no times", pid)
	}
	if _, err := fmt.Sscan(columns[11], &user); err != nil {
		return 0, err
	}
	if _, err := fmt.Sscan(columns[12], &system); err != nil {
		return 0, err
	}
	const ticksPerSecond = 100 // of Linux, whatever the kernel's own
	return (user + system) / ticksPerSecond, nil
}
