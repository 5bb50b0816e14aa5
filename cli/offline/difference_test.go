package offline

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDifferenceShowsLittleOfWhatIsTheSame(t *testing.T) {
	same := strings.Split("1 2 3 4 5 6 7 8 9", " ")
	for name, tc := range map[string]struct{ first, second, want []string }{
		"nothing":            {same, same, []string{"  … 9 unchanged"}},
		"in the middle":      {same, strings.Split("1 2 3 4 x 6 7 8 9", " "), []string{"  … 1 unchanged", "  2", "  3", "  4", "- 5", "+ x", "  6", "  7", "  8", "  … 1 unchanged"}},
		"at the head":        {same[:2], []string{"0", "1", "2"}, []string{"+ 0", "  1", "  2"}},
		"at the tail":        {same[:2], same[:3], []string{"  1", "  2", "+ 3"}},
		"one that is twice":  {[]string{"a"}, []string{"a", "a"}, []string{"  a", "+ a"}},
		"between two alike":  {[]string{"a", "b", "a"}, []string{"a", "a"}, []string{"  a", "- b", "  a"}},
		"one that is empty":  {nil, []string{"a"}, []string{"+ a"}},
		"nothing in common":  {[]string{"a", "b"}, []string{"c"}, []string{"- a", "- b", "+ c"}},
		"parts that changed": {[]string{"a", "b", "c"}, []string{"x", "b", "y"}, []string{"- a", "+ x", "  b", "- c", "+ y"}},
	} {
		if diff := cmp.Diff(tc.want, Difference(tc.first, tc.second)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Texts that are too long to be compared line by line show whole, but for how they begin and end.
func TestDifferenceOfLongTextsIsBounded(t *testing.T) {
	var first, second []string
	for i := range 3000 {
		first, second = append(first, "a"+strconv.Itoa(i)), append(second, "b"+strconv.Itoa(i))
	}
	first, second = append(append([]string{"head"}, first...), "tail"), append(append([]string{"head"}, second...), "tail")
	got := Difference(first, second)
	if len(got) != 6002 || got[0] != "  head" || got[1] != "- a0" || got[3001] != "+ b0" || got[6001] != "  tail" {
		t.Errorf("got %d lines, beginning with %q", len(got), got[:2])
	}
}
