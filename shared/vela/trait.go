package vela

import (
	"encoding/json"
	"strings"

	cuelang "cuelang.org/go/cue"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/draft"
)

// Trait evaluates a trait's definition over the draft and applies it: its outputs join the draft, its patch goes to the
// main object and its patchOutputs to the others by name. A draft to which a trait fails is of no more use. Properties are
// JSON, or nil where the user gave none.
func (t *Template) Trait(target *draft.Draft, context cue.Context, properties []byte) error {
	done, err := t.overlook(target, context, properties)
	if err != nil {
		return err
	}
	target.Hold(done.close)
	root := done.root
	parts, err := t.parts(root, t.definition.Name)
	if err != nil {
		return err
	}
	target.Parts = append(target.Parts, parts...)
	if err := t.patchMain(target, root); err != nil {
		return err
	}
	return t.patchOthers(target, root)
}

// overlook evaluates the definition with the draft in its context.
func (t *Template) overlook(target *draft.Draft, context cue.Context, properties []byte) (*evaluation, error) {
	if properties != nil {
		if err := cue.CheckProperties(properties); err != nil {
			return nil, err
		}
	}
	fields, err := t.contextFor(context, nil)
	if err != nil {
		return nil, err
	}
	if err := t.show(target, fields); err != nil {
		return nil, err
	}
	in, err := newInput(fields, properties)
	if err != nil {
		return nil, err
	}
	return t.evaluate(in)
}

// show puts the draft into a trait's context: the main object, and the others by name, of which the last counts.
func (t *Template) show(target *draft.Draft, fields map[string]any) error {
	outputs := map[string]json.RawMessage{}
	for i, part := range target.Parts {
		if i == 0 && !t.readsField(outputField) || i > 0 && !t.readsField(outputsField) {
			continue
		}
		seen, err := target.Seen(i)
		if err != nil {
			return err
		}
		if i == 0 {
			fields[outputField] = seen
			continue
		}
		outputs[part.Name] = seen
	}
	if len(outputs) > 0 {
		fields[outputsField] = outputs
	}
	return nil
}

func (t *Template) patchMain(target *draft.Draft, root cuelang.Value) error {
	patcher := root.LookupPath(pathOf(patchField))
	if !patcher.Exists() {
		return nil
	}
	if err := target.Parts[0].Merge(patcher); err != nil {
		return t.patchError(patchField, err)
	}
	return nil
}

func (t *Template) patchOthers(target *draft.Draft, root cuelang.Value) error {
	patches := root.LookupPath(pathOf(patchOutputsField))
	if !patches.Exists() {
		return nil
	}
	for i := range target.Parts[1:] {
		part := &target.Parts[1+i]
		patcher := patches.LookupPath(pathOf(part.Name))
		if !patcher.Exists() {
			continue
		}
		if err := part.MergeStrategic(patcher); err != nil {
			return t.patchError(patchOutputsField+"."+part.Name, err)
		}
	}
	return nil
}

// patchError says which patch does not go with the object that it is for. Places within the merged object are nobody's: it
// was put together on the way.
func (t *Template) patchError(path string, err error) error {
	position := t.definition.Name
	if node := t.declared[patchField]; node != nil {
		position = cue.FormatPosition(node.Pos())
	}
	found := cue.ProblemsOf(err)
	problems := make([]cue.Problem, len(found))
	for i, problem := range found {
		if strings.HasPrefix(problem.Message, `reference "`) {
			// The engine writes down what is not decided, with names that nothing resolves any more.
			return cue.NewError([]cue.Problem{{Position: position, Path: path, Message: undecided}})
		}
		problems[i] = cue.Problem{Position: position, Path: joinPath(path, problem.Path), Message: problem.Message}
	}
	return cue.NewError(problems)
}

// undecided is why a patch cannot be merged though nothing is in conflict.
const undecided = "the patch is not decided for this object: something that it reads is not there or matches nothing, " +
	"such as the name of a container, or spec.template of an object that has none; or parameters that are missing leave more than one way to read it"

func joinPath(path, below string) string {
	if below == "" || below[0] == '[' {
		return path + below
	}
	return path + "." + below
}
