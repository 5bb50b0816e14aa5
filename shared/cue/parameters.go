package cue

import (
	"bytes"

	"cuelang.org/go/cue"
)

// CheckParameters checks properties, a JSON map, against the parameters that the definition declares: unknown and missing
// ones, types and constraints, at any depth. The *Error that it returns has all problems at once, in the order of their
// paths. It needs nothing but the properties, so that the hub refuses what a spoke would.
func (t *Template) CheckParameters(properties []byte) error {
	properties = orEmpty(properties)
	if err := checkProperties(properties); err != nil {
		return err
	}
	return t.use(func(i *instance) error { return i.checkParameters(properties) })
}

func (i *instance) checkParameters(properties []byte) error {
	given, err := i.decode(properties)
	if err != nil {
		return err
	}
	if i.schema().Unify(given).Validate(cue.Concrete(true)) == nil {
		return nil
	}
	// Now that something is wrong it may cost a little to say what. A default that refers to the context gets one.
	placed, err := i.evaluate(placeholderContext, []byte("{}"))
	if err != nil {
		return err
	}
	schema := placed.LookupPath(cue.ParsePath(schemaName))
	failure := schema.Unify(given).Validate(cue.Concrete(true))
	if failure == nil {
		return nil
	}
	problems, err := ExplainParameters(schema, properties)
	if err != nil {
		return err
	}
	if len(problems) == 0 {
		// Each value is well by itself, but not together with the others. CUE's own words have to do.
		return newError(problemsOf(failure))
	}
	return &Error{Problems: problems}
}

// schema is the closed form of the parameters.
func (i *instance) schema() cue.Value {
	return i.root.LookupPath(cue.ParsePath(schemaName))
}

// orEmpty reads absent properties as none.
func orEmpty(properties []byte) []byte {
	trimmed := bytes.TrimSpace(properties)
	if len(trimmed) == 0 || bytes.Equal(trimmed, []byte("null")) {
		return []byte("{}")
	}
	return trimmed
}
