package cue

import (
	"encoding/json"
	"fmt"

	"cuelang.org/go/cue"

	"wheelwright.dev/wheelwright/shared/definition"
)

// Trait is a compiled trait definition in the shape of the KEP. Its methods are safe for concurrent use.
type Trait struct {
	template *Template
	// phase and appliesTo as the CUE files say it; empty where they do not.
	phase     definition.Phase
	appliesTo []string
}

// CompileTrait compiles the definition of a trait, or finds it compiled. The *Error has the place of everything that is
// wrong with the definition itself.
func (c *Compiler) CompileTrait(def definition.Definition) (*Trait, error) {
	template, err := c.compile(def, kindTrait)
	if err != nil {
		return nil, err
	}
	trait := &Trait{template: template}
	return trait, template.use(trait.readDeclarations)
}

// Phase is the phase that the definition names, or "".
func (t *Trait) Phase() definition.Phase { return t.phase }

// AppliesTo are the component types that the definition names.
func (t *Trait) AppliesTo() []string { return t.appliesTo }

// CheckParameters checks the trait's own properties, as Template.CheckParameters does.
func (t *Trait) CheckParameters(properties []byte) error {
	return t.template.CheckParameters(properties)
}

func (t *Trait) readDeclarations(i *instance) error {
	declared := t.template.source.declared
	if declared["phase"] != nil {
		phase := i.root.LookupPath(cue.ParsePath("phase"))
		text, _ := phase.String()
		switch t.phase = definition.Phase(text); t.phase {
		case definition.PhasePre, definition.PhaseDefault, definition.PhasePost:
		default:
			return newError([]Problem{problemAt(phase, fmt.Sprintf(`phase is %v, want "pre", "default" or "post"`, phase))})
		}
	}
	if declared["appliesTo"] != nil {
		types := i.root.LookupPath(cue.ParsePath("appliesTo"))
		if err := types.Decode(&t.appliesTo); err != nil {
			return newError([]Problem{problemAt(types, "appliesTo must be a list of component types")})
		}
	}
	return nil
}

// Before is what a trait of the phase pre asks for.
type Before struct {
	// Properties is a JSON map that is laid over the component's; null takes one out. Nil for none.
	Properties json.RawMessage
	// Dispatcher takes the place of the component's dispatcher. Nil for none.
	Dispatcher json.RawMessage
}

// EvaluateBefore evaluates a trait of the phase pre: patch.properties and dispatcher. In the context, parameters are the
// component's.
func (t *Trait) EvaluateBefore(context Context, properties []byte) (Before, error) {
	var before Before
	err := t.evaluate(context, properties, func(root cue.Value) error {
		var problems []Problem
		before.Properties, problems = jsonAt(root, "patch.properties", problems)
		before.Dispatcher, problems = jsonAt(root, "dispatcher", problems)
		if field := root.LookupPath(cue.ParsePath("patch.parameters")); field.Exists() {
			problems = append(problems, problemAt(field,
				"write patch: properties: {...}: within patch: parameters the name parameters would mean itself"))
		}
		for _, name := range []string{"outputs", "patch.outputs"} {
			if field := root.LookupPath(cue.ParsePath(name)); field.Exists() {
				problems = append(problems, problemAt(field, fmt.Sprintf(
					"a trait of the phase pre has no %s: nothing is rendered yet; it changes patch: properties, or dispatcher", name)))
			}
		}
		return newError(problems)
	})
	return before, err
}

// evaluate checks the properties and evaluates the definition.
func (t *Trait) evaluate(context Context, properties []byte, read func(root cue.Value) error) error {
	properties = orEmpty(properties)
	if err := t.CheckParameters(properties); err != nil {
		return err
	}
	return t.template.use(func(i *instance) error {
		root, err := i.evaluate(context, properties)
		if err != nil {
			return err
		}
		return read(root)
	})
}

// jsonAt is a concrete map as JSON, or nil where there is none.
func jsonAt(root cue.Value, path string, problems []Problem) (json.RawMessage, []Problem) {
	field := root.LookupPath(cue.ParsePath(path))
	if !field.Exists() {
		return nil, problems
	}
	if wrong := problemsIn(field); len(wrong) > 0 {
		return nil, append(problems, wrong...)
	}
	if field.IncompleteKind() != cue.StructKind {
		return nil, append(problems, problemAt(field, path+" must be a map"))
	}
	encoded, err := field.MarshalJSON()
	if err != nil {
		return nil, append(problems, problemsOf(err)...)
	}
	return encoded, problems
}
