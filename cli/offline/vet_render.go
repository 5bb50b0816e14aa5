package offline

import (
	"encoding/json"
	"slices"
	"strings"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/render"
)

// checkRendering renders a component with the least that its parameters ask for, and finds what is wrong with what comes out
// whatever they are. It says nothing where no such parameters can be made up.
func (v *vetter) checkRendering(one vetted) []cue.Problem {
	if one.kind != kindComponent {
		return nil
	}
	compiled, err := v.compiler.Component(one.definition.Definition)
	if err != nil {
		return nil // said already
	}
	schema, err := schemaOf(one.written)
	if err != nil {
		return nil
	}
	sample, ok := sampleOf(schema)
	if !ok {
		return nil
	}
	properties, err := json.Marshal(sample)
	if err != nil {
		return nil
	}
	request := render.Request{Type: one.definition.Name, Component: compiled, Properties: properties, Context: cue.PlaceholderContext()}
	if render.Check(request) != nil {
		return nil // the sample does not fit
	}
	rendering, err := render.Render(request)
	if err == nil {
		_, err = rendering.Judge(request.Context)
	}
	return withoutSamples(problemsOf(err))
}

// withoutSamples leaves out what may be the made up values' fault: what a function of CUE's library does not take, and what
// is not decided.
func withoutSamples(problems []cue.Problem) []cue.Problem {
	return slices.DeleteFunc(problems, func(problem cue.Problem) bool {
		for _, passing := range []string{"error in call to", "division by zero", "index out of range", "undefined field", "incomplete", "non-concrete", "conflicting values", "invalid value", "the object has no "} {
			if strings.Contains(problem.Message, passing) {
				return true
			}
		}
		return false
	})
}
