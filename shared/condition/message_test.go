package condition

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMessage(t *testing.T) {
	if got := Message("short"); got != "short" {
		t.Errorf("got %q", got)
	}
	long := Message("a" + strings.Repeat("é", MaxMessage))
	if len(long) > MaxMessage+len("…") || !strings.HasSuffix(long, "é…") || !utf8.ValidString(long) {
		t.Errorf("got %d bytes that end with %q", len(long), long[len(long)-10:])
	}
}
