package vela

import (
	cuelang "cuelang.org/go/cue"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/draft"
)

// Component evaluates a component's definition. Properties are JSON, or nil where the user gave none. What is missing is
// found when the draft is finished, or when a trait looks at it, since a trait may not fill it in. The error is a *cue.Error
// unless something is wrong with the program itself.
func (t *Template) Component(context cue.Context, properties []byte) (*draft.Draft, error) {
	if properties == nil {
		properties = []byte("{}")
	}
	if err := cue.CheckProperties(properties); err != nil {
		return nil, err
	}
	fields, err := t.contextFor(context, properties)
	if err != nil {
		return nil, err
	}
	in, err := newInput(fields, properties)
	if err != nil {
		return nil, err
	}
	done, err := t.evaluate(in)
	if err != nil {
		return nil, err
	}
	drafted := &draft.Draft{}
	drafted.Hold(done.close)
	main := done.root.LookupPath(pathOf(outputField))
	if !main.Exists() {
		drafted.Close()
		return nil, cue.NewError([]cue.Problem{{Position: t.definition.Name, Path: outputField, Message: "with these parameters there is no output to render"}})
	}
	others, err := t.parts(done.root, "")
	if err != nil {
		drafted.Close()
		return nil, err
	}
	drafted.Parts = append([]draft.Part{{Name: MainOutput, Object: t.object(main)}}, others...)
	return drafted, nil
}

// parts reads outputs in the order in which they are declared.
func (t *Template) parts(root cuelang.Value, from string) ([]draft.Part, error) {
	outputs := root.LookupPath(pathOf(outputsField))
	if !outputs.Exists() {
		return nil, nil
	}
	fields, err := outputs.Fields()
	if err != nil {
		return nil, cue.NewError([]cue.Problem{cue.ProblemAt(outputs, "outputs must be a map of objects by name")})
	}
	var parts []draft.Part
	for fields.Next() {
		parts = append(parts, draft.Part{Name: fields.Selector().Unquoted(), From: from, Object: t.object(fields.Value())})
	}
	return parts, nil
}
