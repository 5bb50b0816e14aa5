package cue

import (
	"errors"
	"strings"
	"testing"
	"time"

	"wheelwright.dev/wheelwright/shared/definition"
)

// A panic of the evaluator is an error that names the definition, and what it happened on is not used again.
func TestEvaluatorBreaksDown(t *testing.T) {
	template, err := NewCompiler(Options{}).Compile(definition.Definition{Name: "web", Files: map[string]string{"a.cue": "outputs: []"}})
	if err != nil {
		t.Fatal(err)
	}
	var broken *instance
	err = template.use(func(used *instance) error {
		broken = used
		panic("no such arc")
	})
	fault := (*Error)(nil)
	if !errors.As(err, &fault) || fault.Problems[0].Position != "web" || !strings.Contains(err.Error(), "the CUE evaluator broke down") {
		t.Errorf("got %v, want an *Error about web", err)
	}
	if err := template.use(func(used *instance) error {
		if used == broken {
			return errors.New("the broken instance is used again")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// Names as long as a definition may be are not held against each other letter by letter, which would take minutes.
func TestNearestPassesOverLongNames(t *testing.T) {
	long := strings.Repeat("ab", 200_000)
	started := time.Now()
	if got := nearest(long+"x", []string{long}); got != "" {
		t.Errorf("a name of %d letters is suggested", len(got))
	}
	if took := time.Since(started); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if got := nearest("replica", []string{long, "replicas"}); got != "replicas" {
		t.Errorf("got %q", got)
	}
}
