package vela

import (
	"encoding/json"
	"fmt"
	"strings"

	cuelang "cuelang.org/go/cue"

	"wheelwright.dev/wheelwright/shared/cue"
)

// explain puts the problems with parameters into words for the one who wrote them; the others stay as CUE has them.
func (t *Template) explain(in input, found []cue.Problem) []cue.Problem {
	var rest []cue.Problem
	for _, problem := range found {
		if problem.Path != parameterField && !strings.HasPrefix(problem.Path, parameterField+".") {
			rest = append(rest, problem)
		}
	}
	if len(rest) == len(found) {
		return found
	}
	explained, err := t.explainParameters(in)
	if err != nil || len(explained) == 0 {
		return found
	}
	return append(explained, rest...)
}

// locate gives problems that have no place, as those between two values from outside have none, the place of the field
// that they are in.
func locate(root cuelang.Value, problems []cue.Problem) []cue.Problem {
	for i, problem := range problems {
		path := cuelang.ParsePath(problem.Path)
		if problem.Position != "" || problem.Path == "" || path.Err() != nil {
			continue
		}
		for selectors := path.Selectors(); len(selectors) > 0 && problems[i].Position == ""; selectors = selectors[:len(selectors)-1] {
			field := root.LookupPath(cuelang.MakePath(selectors...))
			problems[i].Position = cue.FormatPosition(field.Pos())
		}
	}
	return problems
}

func (t *Template) explainParameters(in input) ([]cue.Problem, error) {
	done, err := t.text.evaluate(input{"context": in["context"]})
	if err != nil {
		return nil, err
	}
	defer done.close()
	return cue.ExplainParameters(done.root.LookupPath(pathOf(parameterField)), in[parameterField])
}

func decodeMap(content []byte) (map[string]any, error) {
	decoder := json.NewDecoder(strings.NewReader(string(content)))
	decoder.UseNumber()
	fields := map[string]any{}
	if err := decoder.Decode(&fields); err != nil {
		return nil, fmt.Errorf("decoding JSON: %w", err)
	}
	return fields, nil
}
