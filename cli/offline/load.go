package offline

import (
	"context"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// Entry is a definition in a folder of definitions.
type Entry struct {
	// Kind is component, trait or step.
	Kind string
	// Place is the folder or file that it was read from.
	Place string
	// Trait is the definition. Phase and AppliesTo are empty but for traits.
	definition.Trait
}

// Load reads all definitions in a folder, in the order of their places, for those who hand them on. The problems are all
// that keeps any of them from being read, compiled or rendered; Vet finds more than these. Of steps, which no evaluation by
// itself says much about, the text alone is looked at. The error is about the folder itself.
func (b *Workbench) Load(ctx context.Context, dir string) ([]Entry, []cue.Problem, error) {
	vetter, problems, err := readFolder(dir)
	if err != nil {
		return nil, nil, err
	}
	found, err := b.lookAt(ctx, vetter, question{Definitions: dir, OnlyBroken: true})
	if err != nil {
		return nil, nil, err
	}
	var entries []Entry
	for _, one := range vetter.read {
		entries = append(entries, Entry{Kind: one.kind, Place: one.place.at, Trait: one.definition})
	}
	return entries, problemsOf(cue.NewError(append(problems, found...))), nil
}

// Compile finds what is wrong with one definition as such. Of a step the text alone is looked at. The error has a *cue.Error in
// it.
func (b *Workbench) Compile(ctx context.Context, entry Entry) error {
	switch entry.Kind {
	case kindComponent:
		return b.evaluator.Definitions(ctx, evaluate.Component(entry.Definition))
	case kindTrait:
		return b.evaluator.Definitions(ctx, evaluate.Work{Traits: []evaluate.Trait{{Type: entry.Name, Definition: entry.Trait}}})
	}
	_, err := cue.ReadForms(entry.Definition)
	return err
}

// broken finds what keeps a definition from rendering. That the CUE evaluator breaks down over it does so too.
func (v *vetter) broken(one vetted) (problems []cue.Problem) {
	if one.kind == kindStep {
		return nil
	}
	defer func() {
		if failure := recover(); failure != nil {
			problems = []cue.Problem{brokeDown(failure)}
		}
	}()
	_, _, problems = v.evaluate(one)
	return append(problems, checkOutputs(one.written)...)
}
