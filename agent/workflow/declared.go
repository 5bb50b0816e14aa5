package workflow

import (
	"strings"

	"cuelang.org/go/cue/ast"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// Declared tells whether a definition has a workflow of its own. One that cannot be parsed has none: what is wrong with it
// shows when it is rendered.
func Declared(def definition.Definition) bool {
	if !mentions(def) {
		return false
	}
	forms, err := cue.ReadForms(def)
	if err != nil {
		return false
	}
	for _, form := range forms {
		for _, decl := range form.Syntax.Decls {
			if field, ok := decl.(*ast.Field); ok && labelOf(field) == workflowField {
				return true
			}
		}
	}
	return false
}

// mentions spares the parsing of most definitions.
func mentions(def definition.Definition) bool {
	for _, source := range def.Files {
		if strings.Contains(source, workflowField) {
			return true
		}
	}
	return false
}
