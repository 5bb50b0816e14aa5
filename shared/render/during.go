package render

import (
	"encoding/json"
	"slices"
	"strconv"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/draft"
)

// during runs the default traits over the draft, one after the other. What they want of outputs that wait has to wait
// too; a trait of KubeVela's shape wants the first one.
func during(request Request, drafted *draft.Draft, rendering *Rendering) error {
	for i, trait := range request.Traits {
		if trait.Definition.phase != definition.PhaseDefault {
			continue
		}
		if trait.Definition.v1 != nil && rendering.mainWaits {
			continue
		}
		// What is missing is the component's fault, or an earlier trait's.
		if err := drafted.Check(); err != nil {
			return request.withMissing(err)
		}
		if err := applyTrait(request, drafted, trait, rendering.Pending); err != nil {
			return &Error{Trait: trait.place(i), Err: err}
		}
	}
	return nil
}

func applyTrait(request Request, drafted *draft.Draft, trait AppliedTrait, pending []Pending) error {
	context := request.traitContext(request.Properties)
	if trait.Definition.v1 != nil {
		return trait.Definition.v1.Trait(drafted, request.v1Context(context), trait.Properties)
	}
	outputs, err := seenOutputs(drafted)
	if err != nil {
		return err
	}
	asked, err := trait.Definition.kep.EvaluateDuring(context.With(map[string]any{"outputs": outputs}), trait.Properties)
	if err != nil {
		return err
	}
	patches := slices.DeleteFunc(asked.Patches, func(patch cue.OutputPatch) bool {
		return slices.ContainsFunc(pending, func(output Pending) bool { return output.Name == patch.Name })
	})
	if err := patchOutputs(drafted, patches); err != nil {
		return err
	}
	return addOutputs(drafted, asked.Outputs, trait.Definition.name)
}

// seenOutputs are the outputs by name. Each is the object itself with its output's name beside it, and the object once more
// as value, since KEP-2.2 reads both `for o in context.outputs {o.name}` and `context.outputs.workload.spec`.
func seenOutputs(drafted *draft.Draft) (map[string]any, error) {
	outputs := make(map[string]any, len(drafted.Parts))
	for i, part := range drafted.Parts {
		seen, err := drafted.Seen(i)
		if err != nil {
			return nil, err
		}
		fields := map[string]json.RawMessage{}
		if err := json.Unmarshal(seen, &fields); err != nil {
			return nil, err
		}
		if fields["name"], err = json.Marshal(part.Name); err != nil {
			return nil, err
		}
		fields["value"] = seen
		outputs[part.Name] = fields
	}
	return outputs, nil
}

func patchOutputs(drafted *draft.Draft, patches []cue.OutputPatch) error {
	var problems []cue.Problem
	for _, wanted := range patches {
		found := false
		for i := range drafted.Parts {
			part := &drafted.Parts[i]
			if part.Name != wanted.Name {
				continue
			}
			found = true
			for _, value := range wanted.Values {
				if err := part.MergeStrategic(value); err != nil {
					problems = append(problems, conflicts(wanted, err)...)
				}
			}
		}
		if !found {
			problems = append(problems, wanted.UnknownOutput(namesOf(drafted)))
		}
	}
	return cue.NewError(problems)
}

// conflicts are why a patch does not go with its output, at the place of the patch.
func conflicts(wanted cue.OutputPatch, err error) []cue.Problem {
	problems := cue.ProblemsOf(err)
	for i, problem := range problems {
		problems[i].Position = wanted.Place.Position
		problems[i].Path = wanted.Name
		if problem.Path != "" {
			problems[i].Path += "." + problem.Path
		}
		problems[i].Message = "the patch does not go with the output: " + problem.Message
	}
	return problems
}

func addOutputs(drafted *draft.Draft, outputs []cue.OpenOutput, from string) error {
	var problems []cue.Problem
	for _, part := range open(outputs, from) {
		for _, there := range drafted.Parts {
			if there.Name == part.Name {
				problem := cue.ProblemAt(part.Object.Value(), "output "+strconv.Quote(part.Name)+" is there already, from "+origin(there.From))
				problem.Path = ""
				problems = append(problems, problem)
			}
		}
		drafted.Parts = append(drafted.Parts, part)
	}
	return cue.NewError(problems)
}

func origin(from string) string {
	if from == "" {
		return "the component"
	}
	return "trait " + from
}

func namesOf(drafted *draft.Draft) []string {
	var names []string
	for _, part := range drafted.Parts {
		names = append(names, part.Name)
	}
	return names
}
