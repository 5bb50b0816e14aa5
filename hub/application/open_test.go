package application

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wheelwright.dev/wheelwright/shared/cue"
)

// What a directive will bring is not missed, and nothing else is passed over.
func TestWithoutOpen(t *testing.T) {
	required := []string{"a", "b", "c.d", `""`}
	for properties, want := range map[string][]string{
		`{"a":{"fromSource":"x.y"}}`:        {"b", "c.d", `""`},
		`{"b":[{"fromDependency":"x.y"}]}`:  {"a", "c.d", `""`},
		`{"c":{"d":{"fromSource":"x.y"}}}`:  {"a", "b", `""`},
		`{"c":{"fromSource":"x.y"}}`:        {"a", "b", `""`},
		`{"":{"fromSource":"x.y"}}`:         {"a", "b", "c.d"},
		`{"fromParameter":"x","other":"y"}`: required,
		`{"fromParameter":"all"}`:           nil,
	} {
		open := &openProperties{}
		if _, err := open.strip([]byte(properties)); err != nil {
			t.Errorf("%s: %v", properties, err)
			continue
		}
		unknown := cue.Problem{Path: "z", Message: `unknown parameter "z"`}
		problems := []cue.Problem{unknown}
		for _, path := range required {
			problems = append(problems, cue.Problem{Path: path, Message: "missing required parameter " + strconv.Quote(path) + " (string)"})
		}
		left := (*cue.Error)(nil)
		if !errors.As(open.withoutOpen(cue.NewError(problems)), &left) || !slices.Contains(left.Problems, unknown) {
			t.Errorf("%s: an unknown parameter is passed over: %v", properties, left)
			continue
		}
		var missed []string
		for _, problem := range left.Problems {
			if problem != unknown {
				missed = append(missed, problem.Path)
			}
		}
		slices.Sort(missed)
		slices.Sort(want)
		if diff := cmp.Diff(want, missed); diff != "" {
			t.Errorf("%s: missed (-want +got):\n%s", properties, diff)
		}
	}
}
