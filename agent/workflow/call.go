package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	cuelang "cuelang.org/go/cue"
	wferrors "github.com/kubevela/workflow/pkg/errors"

	"wheelwright.dev/wheelwright/shared/cue"
)

// call is what one try at a custom step has come to, beside what the engine says of it. The functions that the template
// calls write into it.
type call struct {
	pass *pass
	step Step
	// err is why a function failed, in its own words. The engine's words hold all that the function was given.
	err error
	// action is set when an action is not done yet; recheck is then its own.
	action  bool
	recheck time.Duration
}

type callKey struct{}

func withCall(ctx context.Context, call *call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

func callFrom(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// explain takes the places out of CUE's errors, which are of the engine's own text.
func (c *call) explain(err error) error {
	if permanent := (*FailureError)(nil); errors.As(err, &permanent) {
		return err
	}
	return errors.New(reasonOf(err))
}

// resultFields are where functions put what they return: those of packages, and those of the older package op.
var resultFields = []string{"$returns", "response"}

func noteKey(value cuelang.Value) string { return "once." + value.Path().String() }

// recall gives back what the same call returned in an earlier try of the step. The engine evaluates a template from its
// start at every try, and would call all of its functions again.
func (c *call) recall(value cuelang.Value) (cuelang.Value, bool) {
	note, ok := c.pass.run.step(c.step.Name).Notes[noteKey(value)]
	if !ok {
		return value, false
	}
	var results map[string]json.RawMessage
	if json.Unmarshal([]byte(note), &results) != nil {
		return value, false
	}
	for field, result := range results {
		filled, err := fill(value, field, result)
		if err != nil {
			return value, false
		}
		value = filled
	}
	return value, true
}

// fill puts JSON into a field of value.
func fill(value cuelang.Value, field string, encoded []byte) (cuelang.Value, error) {
	expression, err := cue.ExtractJSON(encoded)
	if err != nil {
		return value, err
	}
	return value.FillPath(cuelang.ParsePath(field), value.Context().BuildExpr(expression)), nil
}

// note keeps what a call returned. An answer that is too large to be kept is asked for again.
func (c *call) note(value, result cuelang.Value) {
	results := map[string]json.RawMessage{}
	for _, field := range resultFields {
		if encoded, err := result.LookupPath(cuelang.ParsePath(field)).MarshalJSON(); err == nil {
			results[field] = encoded
		}
	}
	if encoded, err := encode(results); err == nil && len(encoded) <= maxNote {
		variables{run: c.pass.run, step: c.step.Name}.SetMutableValue(string(encoded), noteKey(value))
	}
}

// isActionBreak tells the engine's way to end an evaluation from errors.
func isActionBreak(err error) bool {
	expected := wferrors.GenericActionError("")
	return errors.As(err, &expected)
}
