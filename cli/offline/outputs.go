package offline

import (
	"fmt"

	"cuelang.org/go/cue/ast"

	"wheelwright.dev/wheelwright/shared/cue"
)

// outputText is an output as far as its text tells.
type outputText struct {
	// name is empty where an expression makes it.
	name  string
	place string
	// conditional is set where it may not be there, or be there more than once.
	conditional bool
	// paths are the names of its statusPaths; nil where it has none or they are not known.
	paths map[string]bool
	// pathsKnown is false where an expression makes statusPaths.
	pathsKnown bool
}

// outputTexts are the outputs that a definition lists.
type outputTexts struct {
	list []outputText
	// complete is false where there may be others.
	complete bool
	problems []cue.Problem
}

// outputsOf reads the list of outputs of a definition in the shape of the KEP.
func outputsOf(w *written) *outputTexts {
	texts := &outputTexts{complete: true}
	for _, form := range w.forms {
		for _, decl := range form.Syntax.Decls {
			name, field := fieldOf(decl)
			if _, comprehension := decl.(*ast.Comprehension); comprehension {
				texts.complete = false
			}
			if name != "outputs" {
				continue
			}
			list, ok := field.Value.(*ast.ListLit)
			if !ok {
				texts.complete = false
				continue
			}
			for _, entry := range list.Elts {
				texts.readEntry(entry, false)
			}
		}
	}
	return texts
}

func (t *outputTexts) readEntry(entry ast.Expr, conditional bool) {
	switch entry := entry.(type) {
	case *ast.StructLit:
		t.readOutput(structureOf(entry), entry, conditional)
	case *ast.Comprehension:
		if value, ok := entry.Value.(*ast.StructLit); ok {
			t.readEntry(value, true)
			return
		}
		t.complete = false
	default:
		t.complete = false
	}
}

func (t *outputTexts) readOutput(fields structure, entry *ast.StructLit, conditional bool) {
	output := outputText{place: cue.FormatPosition(entry.Pos()), conditional: conditional, pathsKnown: !fields.open}
	switch named := fields.values["name"]; {
	case len(named) > 0:
		output.name, _ = literalText(named[0])
	case !fields.open:
		t.problem(entry, "", `the output has no name: add name: "..."`)
	}
	if output.name == "" {
		t.complete = false
	}
	if values := fields.values["value"]; len(values) > 0 && fields.values["type"] != nil {
		if typ, literal := fields.literal("type"); literal && typ == cue.OutputTypeComponent {
			t.checkComponent(output.name, values)
		}
	} else if len(values) > 0 {
		t.problems = append(t.problems, checkObject(output.name, values, entry)...)
	} else if !fields.open {
		t.problem(entry, output.name, "the output has no value, the Kubernetes object to apply: add value: {apiVersion: ..., kind: ...}")
	}
	for _, paths := range fields.values["statusPaths"] {
		t.readPaths(&output, paths)
	}
	t.list = append(t.list, output)
}

// readPaths reads statusPaths, and checks those that are literal.
func (t *outputTexts) readPaths(output *outputText, paths ast.Expr) {
	list, ok := paths.(*ast.ListLit)
	if !ok {
		output.pathsKnown = false
		return
	}
	if output.paths == nil && len(list.Elts) > 0 {
		output.paths = map[string]bool{}
	}
	for _, item := range list.Elts {
		entry, ok := item.(*ast.StructLit)
		if !ok {
			output.pathsKnown = false
			continue
		}
		fields := structureOf(entry)
		name, named := fields.literal("name")
		path, literal := fields.literal("path")
		if !named {
			output.pathsKnown = false
		}
		switch {
		case !fields.open && (fields.values["name"] == nil || fields.values["path"] == nil):
			t.problem(entry, output.name, "each of statusPaths needs a name and a path")
		case named && output.paths[name]:
			t.problem(entry, output.name, fmt.Sprintf("statusPaths has two entries of the name %q", name))
		case literal:
			if _, err := cue.ParseStatusPath(name, path); err != nil {
				t.problem(entry, output.name, err.Error())
			}
		}
		output.paths[name] = true
	}
}

func (t *outputTexts) problem(node ast.Node, path, message string) {
	t.problems = append(t.problems, cue.Problem{Position: cue.FormatPosition(node.Pos()), Path: path, Message: message})
}

// checkObject finds what every Kubernetes object must have, where the text shows that it is not there.
func checkObject(name string, values []ast.Expr, at ast.Node) []cue.Problem {
	whole := structure{values: map[string][]ast.Expr{}}
	for _, value := range values {
		lit, ok := value.(*ast.StructLit)
		if !ok {
			return nil
		}
		whole.add(lit)
	}
	var problems []cue.Problem
	for _, required := range []string{"apiVersion", "kind"} {
		if !whole.open && whole.values[required] == nil {
			problems = append(problems, cue.Problem{Position: cue.FormatPosition(at.Pos()), Path: name,
				Message: fmt.Sprintf("the object has no %s", required)})
		}
	}
	return problems
}
