package cue

import (
	"fmt"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
)

// OpenOutput is an output that traits can still be applied to.
type OpenOutput struct {
	Output
	// Value is the object on a CUE context of its own. Its defaults can still be overridden.
	Value cue.Value
	// Evaluated is set where Value constrains its fields in ways that cannot be seen of it: HasUnusualPatterns.
	Evaluated bool
}

// RenderOpen is Render for a component that traits will be applied to.
func (t *Template) RenderOpen(context Context, properties []byte) ([]OpenOutput, error) {
	properties = orEmpty(properties)
	if err := checkProperties(properties); err != nil {
		return nil, err
	}
	var outputs []OpenOutput
	err := t.use(func(i *instance) error {
		root, err := i.evaluate(t.source.chain.complete(context), properties)
		if err != nil {
			return err
		}
		entries, err := t.source.readEntries(root, context)
		if err != nil {
			return err
		}
		outputs, err = openEntries(entries, t.source.evaluated)
		return err
	})
	return outputs, err
}

func openOutputs(list cue.Value, context Context, evaluated bool) ([]OpenOutput, error) {
	if !list.Exists() {
		return nil, nil
	}
	checked, err := readOutputs(list, context)
	if err != nil {
		return nil, err
	}
	var entries []outputEntry
	for index, output := range checked {
		entries = append(entries, outputEntry{Output: output, at: list.LookupPath(cue.MakePath(cue.Index(index)))})
	}
	return openEntries(entries, evaluated)
}

// openEntries copies the objects of outputs, so that they can be patched.
func openEntries(entries []outputEntry, evaluated bool) ([]OpenOutput, error) {
	var outputs []OpenOutput
	for _, entry := range entries {
		open := OpenOutput{Output: entry.Output, Evaluated: evaluated}
		var err error
		switch {
		case entry.Object == nil:
		case entry.Type == OutputTypeComponent: // what is patched is the Component, not what the author wrote
			open.Value, err = componentValue(entry.Object, entry.at.LookupPath(cue.ParsePath("value")))
		default:
			open.Value, err = detach(entry.at.LookupPath(cue.ParsePath("value")))
		}
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, open)
	}
	return outputs, nil
}

// OutputPatch is what a trait wants of one output.
type OutputPatch struct {
	// Name of the output.
	Name string
	// Place of the patch in the definition.
	Place Problem
	// Values are merged into the object one after the other.
	Values []cue.Value
}

// During is what a trait of the phase default asks for.
type During struct {
	Patches []OutputPatch
	Outputs []OpenOutput
}

// EvaluateDuring evaluates a trait of the phase default: patch.outputs, whose entries name the output that they go to, and
// outputs.
func (t *Trait) EvaluateDuring(context Context, properties []byte) (During, error) {
	var during During
	err := t.evaluate(context, properties, func(root cue.Value) error {
		if field := root.LookupPath(cue.ParsePath("patch.properties")); field.Exists() {
			return newError([]Problem{problemAt(field, "only a trait of the phase pre can change properties: they are final when this one runs")})
		}
		var err error
		if during.Outputs, err = openOutputs(root.LookupPath(cue.ParsePath("outputs")), context, t.template.source.evaluated); err != nil {
			return err
		}
		during.Patches, err = readPatches(root.LookupPath(cue.ParsePath("patch.outputs")))
		return err
	})
	return during, err
}

// EvaluateAfter evaluates a trait of the phase post: the outputs that it adds.
func (t *Trait) EvaluateAfter(context Context, properties []byte) ([]Output, error) {
	var outputs []Output
	err := t.evaluate(context, properties, func(root cue.Value) error {
		if field := root.LookupPath(cue.ParsePath("patch")); field.Exists() {
			return newError([]Problem{problemAt(field, "a trait of the phase post has no patch: everything is applied already; it adds outputs")})
		}
		list := root.LookupPath(cue.ParsePath("outputs"))
		if !list.Exists() {
			return nil
		}
		var err error
		outputs, err = readOutputs(list, context)
		return err
	})
	return outputs, err
}

func readPatches(list cue.Value) ([]OutputPatch, error) {
	if !list.Exists() {
		return nil, nil
	}
	if problems := problemsIn(list); len(problems) > 0 {
		return nil, newError(problems)
	}
	items, err := list.List()
	if err != nil {
		return nil, newError([]Problem{problemAt(list, "patch.outputs must be a list of {name, value}")})
	}
	var patches []OutputPatch
	var problems []Problem
	for items.Next() {
		entry := items.Value()
		name, err := entry.LookupPath(cue.ParsePath("name")).String()
		if err != nil || name == "" {
			problems = append(problems, problemAt(entry, "a patch needs the name of the output that it goes to, a string"))
			continue
		}
		patches = append(patches, OutputPatch{Name: name, Place: problemAt(entry, ""), Values: patchValues(entry)})
	}
	return patches, newError(problems)
}

// patchValues are an entry's value, and what stands beside name and value, which is meant for the object as well: KEP-2.2
// writes both {name, value: metadata: ...} and {name, metadata: ...}.
func patchValues(entry cue.Value) []cue.Value {
	structure, ok := syntaxOf(entry).(*ast.StructLit)
	if !ok {
		return nil
	}
	var bare []ast.Decl
	var values []cue.Value
	for _, decl := range closed(structure.Elts) {
		field, isField := decl.(*ast.Field)
		label := ""
		if isField {
			label, _, _ = ast.LabelName(field.Label)
		}
		switch label {
		case "name", "type", "statusPaths":
		case "value":
			values = append(values, buildSyntax(field.Value))
		default:
			bare = append(bare, decl)
		}
	}
	if len(bare) > 0 {
		values = append(values, buildSyntax(&ast.File{Decls: bare}))
	}
	return values
}

// UnknownOutput is the problem of a patch for an output that is not there.
func (p OutputPatch) UnknownOutput(names []string) Problem {
	problem := p.Place
	problem.Message = fmt.Sprintf("there is no output %q to patch: ", p.Name)
	if near := nearest(p.Name, names); near != "" {
		problem.Message += fmt.Sprintf("did you mean %q?", near)
		return problem
	}
	problem.Message += "there are " + quotedList(names)
	return problem
}
