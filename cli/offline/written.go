package offline

import (
	"fmt"
	"strings"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

const (
	// declarationsFile names what is put beside a definition's files. It is never shown.
	declarationsFile = "wheelwright-prelude.cue"
	// closedParameters is the closed form of the parameters, which refuses what they do not declare.
	closedParameters = "#WheelwrightParameters"

	plural   = "parameters"
	singular = "parameter"
)

// written is a definition as its author wrote it, before it is given anything.
type written struct {
	// definition has what is a trait's alone where it is one.
	definition definition.Trait
	kind       string
	shape      cue.Shape
	forms      []cue.Form
	// parameters is the field that declares the parameters, plural or singular.
	parameters string
	// declares tells whether there is such a field.
	declares bool
}

// readWritten reads the files of a definition. The error is a *cue.Error with what is wrong with them as text.
func readWritten(def definition.Trait, kind string) (*written, error) {
	forms, err := cue.ReadForms(def.Definition)
	if err != nil {
		return nil, err
	}
	read := &written{definition: def, kind: kind, forms: forms, shape: cue.ComponentShape(forms), parameters: plural}
	if kind == kindTrait {
		read.shape = cue.TraitShape(forms)
	}
	has := map[string]bool{}
	for _, form := range forms {
		for _, name := range topLevel(form.Syntax) {
			has[name] = true
		}
	}
	if read.shape == cue.V1 || has[singular] && !has[plural] {
		read.parameters = singular
	}
	read.declares = has[read.parameters]
	return read, nil
}

// build builds the definition over a context, CUE text. The error is a *cue.Error about what nothing can be built with;
// conflicts are in the value.
func (w *written) build(context string) (cuelang.Value, error) {
	instance := cue.NewInstance(w.definition.Name)
	for _, form := range w.forms {
		file, err := form.Parse()
		if err != nil {
			return cuelang.Value{}, cue.NewError(cue.ProblemsOf(err))
		}
		cue.SetPackage(file)
		if err := instance.AddSyntax(file); err != nil {
			return cuelang.Value{}, cue.NewError(cue.ProblemsOf(err))
		}
	}
	file, err := parser.ParseFile(declarationsFile, w.declarations(context))
	if err != nil {
		return cuelang.Value{}, fmt.Errorf("parsing the declarations beside definition %s: %w", w.definition.Name, err)
	}
	cue.SetPackage(file)
	if err := instance.AddSyntax(file); err != nil {
		return cuelang.Value{}, cue.NewError(cue.ProblemsOf(err))
	}
	if err := cue.Complete(instance); err != nil {
		return cuelang.Value{}, err
	}
	root := cuecontext.New().BuildInstance(instance)
	if !root.LookupPath(cuelang.ParsePath("context")).Exists() {
		return cuelang.Value{}, cue.NewError(cue.ProblemsOf(root.Err()))
	}
	return root, nil
}

// declarations are what a definition may refer to without declaring it.
func (w *written) declarations(context string) string {
	lines := []string{"context: " + context}
	if !w.declares {
		lines = append(lines, w.parameters+": {}")
	}
	lines = append(lines, "let wheelwrightParameters = "+w.parameters)
	if w.shape == cue.V1 {
		return strings.Join(lines[:len(lines)-1], "\n")
	}
	other := singular
	if w.parameters == singular {
		other = plural
	}
	return strings.Join(append(lines, other+": wheelwrightParameters", closedParameters+": wheelwrightParameters"), "\n")
}

// schema is what the definition declares as parameters, in a root that build made.
func (w *written) schema(root cuelang.Value) cuelang.Value {
	if w.shape == cue.V1 {
		return root.LookupPath(cuelang.ParsePath(w.parameters))
	}
	return root.LookupPath(cuelang.ParsePath(closedParameters))
}
