package e2e

import (
	"regexp"
	"strconv"
	"testing"
)

var numbered = regexp.MustCompile(`"n":\s*"([0-9]+)"`)

// number finds the edit's number in properties, or in a manifest that holds them.
func number(t *testing.T, content []byte) int {
	found := numbered.FindSubmatch(content)
	if found == nil {
		t.Errorf("no number in %s", content)
		return 0
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Error(err)
	}
	return n
}
