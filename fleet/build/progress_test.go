package build

import (
	"strings"
	"testing"
)

func TestProgressOutsideATerminalIsWholeLines(t *testing.T) {
	var out strings.Builder
	p := startProgress(&out, false, "starting")
	p.set("compiled %d of %d packages", 3, 9)
	p.draw()
	p.say("Building %s.", "it")
	p.finish()
	got := out.String()
	for _, want := range []string{"  compiled 3 of 9 packages, ", "Building it.\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("output lacks %q:\n%s", want, got)
		}
	}
	if strings.ContainsAny(got, "\r\x1b") {
		t.Errorf("output has control characters: %q", got)
	}
}

func TestProgressOnATerminalIsOneLine(t *testing.T) {
	var out strings.Builder
	p := startProgress(&out, true, "starting")
	p.draw()
	p.draw()
	p.finish()
	if got := out.String(); strings.Contains(got, "\n") || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("output is %q", got)
	}
}
