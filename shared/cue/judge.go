package cue

import (
	"fmt"
	"maps"
	"slices"

	"cuelang.org/go/cue"
)

// Judgement is what a definition says of its live objects.
type Judgement struct {
	// Healthy is the value of isHealthy, or true when the definition declares none: the caller then judges by other means
	// before it asks.
	Healthy bool
	// Message is the definition's own message, or why isHealthy cannot be decided. It may be empty.
	Message string
	// Exports are the definition's exports, each with its decided value. Nil unless Healthy.
	Exports map[string]any
	// ExportsError says which exports are in conflict. They are absent from Exports, and Healthy is not affected.
	ExportsError error
}

// Judge evaluates isHealthy, message and, when healthy, exports over context.Status and context.Outputs.
//
// An expression that reads what is not there is not decided, which means not healthy; it is no error, as the value may yet
// come. CUE evaluates both sides of && and ||, so that holds for a value on either side. A conflict, such as a comparison
// between a number and a string, is an *Error with its place. An export that is not decided is left out.
func (t *Template) Judge(context Context, properties []byte) (Judgement, error) {
	properties = orEmpty(properties)
	if err := checkProperties(properties); err != nil {
		return Judgement{}, err
	}
	if context.Status == nil {
		context.Status = map[string]map[string]any{}
	}
	var judgement Judgement
	err := t.use(func(i *instance) error {
		root, err := i.evaluate(context, properties)
		if err != nil {
			return err
		}
		judgement, err = t.judge(root)
		return err
	})
	return judgement, err
}

func (t *Template) judge(root cue.Value) (Judgement, error) {
	judgement := Judgement{Healthy: true}
	if t.HasHealth() {
		var err error
		if judgement, err = readHealth(root.LookupPath(cue.ParsePath("isHealthy"))); err != nil {
			return Judgement{}, err
		}
	}
	if t.source.declared["message"] != nil {
		if message, err := root.LookupPath(cue.ParsePath("message")).String(); err == nil {
			judgement.Message = message
		}
	}
	if judgement.Healthy && t.source.declared["exports"] != nil {
		judgement.Exports, judgement.ExportsError = readExports(root.LookupPath(cue.ParsePath("exports")))
	}
	return judgement, nil
}

func readHealth(expression cue.Value) (Judgement, error) {
	if healthy, err := expression.Bool(); err == nil {
		return Judgement{Healthy: healthy}, nil
	}
	if err := expression.Validate(); err != nil {
		return Judgement{}, newError(problemsOf(err))
	}
	if kind := expression.IncompleteKind(); kind != cue.BottomKind && kind&cue.BoolKind == 0 {
		return Judgement{}, newError([]Problem{problemAt(expression, fmt.Sprintf("isHealthy must be true or false, got %v", expression))})
	}
	reason := "isHealthy is not decided yet"
	if problems := problemsOf(expression.Validate(cue.Concrete(true))); len(problems) > 0 {
		reason = fmt.Sprintf("isHealthy is not decided yet (%s: %s)", problems[0].Position, problems[0].Message)
	}
	return Judgement{Message: reason}, nil
}

func readExports(exports cue.Value) (map[string]any, error) {
	fields, err := exports.Fields()
	if err != nil {
		return nil, newError(problemsOf(err))
	}
	values := map[string]any{}
	reader := &decoder{}
	for fields.Next() {
		value := fields.Value()
		if err := value.Validate(); err != nil {
			reader.problems = append(reader.problems, problemsOf(err)...)
			continue
		}
		if value.Validate(cue.Concrete(true)) == nil {
			values[fields.Selector().Unquoted()] = reader.value(value)
		}
	}
	return values, newError(reader.problems)
}

func sortedKeys[V any](fields map[string]V) []string {
	return slices.Sorted(maps.Keys(fields))
}
