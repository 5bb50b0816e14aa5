package terminal

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestStepsTellHowTheyEnded(t *testing.T) {
	var out bytes.Buffer
	steps := NewSteps(&out)
	first, second := steps.Begin("hub"), steps.Begin("spoke")
	second(errors.New("no port"))
	steps.Printf("between\n")
	first(nil)
	steps.Close()
	got := out.String()
	for _, want := range []string{"  ✗ spoke (0.0s)\n", "between\n", "  ✓ hub (0.0s)\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "\033") {
		t.Errorf("control characters outside a terminal: %q", got)
	}
}

func TestLongStepsAreMentionedOutsideATerminal(t *testing.T) {
	var out bytes.Buffer
	s := &Steps{out: &out, width: func() int { return 80 }}
	s.Begin("a long build")
	now := time.Now()
	s.show(now.Add(5 * time.Second))
	if out.Len() > 0 {
		t.Errorf("mentioned after 5 s: %q", out.String())
	}
	s.show(now.Add(12 * time.Second))
	s.show(now.Add(13 * time.Second))
	if got := strings.Count(out.String(), "a long build"); got != 1 {
		t.Errorf("mentioned %d times within 13 s: %q", got, out.String())
	}
}

func TestTheLastLineFitsTheTerminal(t *testing.T) {
	s := &Steps{width: func() int { return 30 }}
	s.Begin(strings.Repeat("x", 100))
	if got := []rune(s.underWay(time.Now())); len(got) != 29 {
		t.Errorf("the line has %d columns on a terminal of 30: %q", len(got), string(got))
	}
}
