package cue

import (
	"fmt"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
)

// instance is a definition built on a CUE context of its own. Values of one context must not be evaluated by two
// goroutines at once, so an instance belongs to one goroutine at a time.
type instance struct {
	source  *source
	context *cue.Context
	root    cue.Value
	uses    int
}

// newInstance builds the definition. It fails on references that nothing resolves, on imports beyond CUE's standard library and on
// parameters that are no struct; conflicts between values show when there are values.
func newInstance(src *source) (*instance, error) {
	built, err := src.instance()
	if err != nil {
		return nil, err
	}
	context := cuecontext.New()
	root := context.BuildInstance(built)
	if !root.LookupPath(cue.ParsePath("context")).Exists() {
		return nil, newError(explainImports(problemsOf(root.Err())))
	}
	parameters := root.LookupPath(cue.ParsePath(src.parameters))
	if parameters.IncompleteKind()&cue.StructKind == 0 {
		return nil, newError([]Problem{problemAt(parameters, "parameters must be a struct, as in parameters: {image: string}")})
	}
	return &instance{source: src, context: context, root: root}, nil
}

// evaluate puts context and properties into the definition.
func (i *instance) evaluate(context Context, properties []byte) (cue.Value, error) {
	encoded, err := context.MarshalJSON()
	if err != nil {
		return cue.Value{}, fmt.Errorf("encoding the context of definition %s: %w", i.source.def.Name, err)
	}
	input := fmt.Appendf(nil, `{"context":%s,%q:%s}`, encoded, i.source.parameters, properties)
	value, err := i.decode(input)
	if err != nil {
		return cue.Value{}, err
	}
	return i.root.Unify(value), nil
}

// decode reads JSON as a CUE value. Numbers keep every digit.
func (i *instance) decode(data []byte) (cue.Value, error) { return decodeJSON(i.context, data) }
