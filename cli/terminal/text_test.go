package terminal

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestNothingThatATerminalActsUponIsLeft(t *testing.T) {
	for given, want := range map[string]string{
		"plain text, größer, 文字":     "plain text, größer, 文字",
		"two\nlines\tand\r\n tabs  ": "two lines and tabs",
		"\x1b[31mred\x1b[0m":         "\uFFFD[31mred\uFFFD[0m",
		"bell\a, C1 \u009b2J":        "bell\uFFFD, C1 \uFFFD2J",
		"turned \u202e txt.exe":      "turned \uFFFD txt.exe",
		"broken \xff\xfe":            "broken \uFFFD\uFFFD",
		"":                           "",
	} {
		if got := Clean(given); got != want {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
	}
}

func TestTablesFitATerminalAndAreWholeElsewhere(t *testing.T) {
	rows := [][]string{{"NAME", "MESSAGE"}, {"größer", strings.Repeat("x", 50)}, {"b", ""}}
	for width, want := range map[int]string{
		0:  "NAME     MESSAGE\ngrößer   " + strings.Repeat("x", 50) + "\nb\n",
		12: "NAME     ME…\ngrößer   xx…\nb\n",
	} {
		var out bytes.Buffer
		if err := table(&out, rows, width); err != nil || out.String() != want {
			t.Errorf("width %d: got %q, %v, want %q", width, out.String(), err, want)
		}
	}
}

func TestOnlyWhatTakesLongIsToldOf(t *testing.T) {
	var out bytes.Buffer
	failure := errors.New("no")
	if err := whileSlow(&out, time.Hour, "reading", func() error { return failure }); !errors.Is(err, failure) || out.Len() > 0 {
		t.Errorf("got %v, %q", err, out.String())
	}
	release := make(chan struct{})
	time.AfterFunc(20*time.Millisecond, func() { close(release) })
	err := whileSlow(&out, time.Millisecond, "reading", func() error { <-release; return nil })
	if err != nil || !strings.Contains(out.String(), "✓ reading") {
		t.Errorf("got %v, %q", err, out.String())
	}
}
