package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wheelwright.dev/wheelwright/cli/readings"
)

// trail is the way that each pair's reading went.
type trail struct {
	order []string
	steps map[string][]string
	last  map[string]string
}

func newTrail() *trail { return &trail{steps: map[string][]string{}, last: map[string]string{}} }

// note adds a reading where it differs from the pair's last one.
func (t *trail) note(row readings.Row, after time.Duration) {
	key := row.Component + " on " + row.Cluster
	text := row.State
	if row.Reason != "" {
		text += " (" + row.Reason + ")"
	}
	if len(row.Revision) > 10 {
		text += " at " + row.Revision[:10] + "…" + row.Revision[len(row.Revision)-4:]
	}
	if t.last[key] == text {
		return
	}
	if !slices.Contains(t.order, key) {
		t.order = append(t.order, key)
	}
	t.last[key] = text
	t.steps[key] = append(t.steps[key], fmt.Sprintf("%4d ms  %s", after.Milliseconds(), text))
}

// String tells of the pairs that went anywhere.
func (t *trail) String() string {
	var out strings.Builder
	for _, key := range t.order {
		if len(t.steps[key]) < 2 {
			continue
		}
		fmt.Fprintf(&out, "  %s\n", key)
		for _, step := range t.steps[key] {
			fmt.Fprintf(&out, "    %s\n", step)
		}
	}
	return out.String()
}
