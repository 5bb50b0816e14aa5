package offline

import (
	"cuelang.org/go/cue/ast"
)

// topLevel names the fields of a file.
func topLevel(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		if name, _ := fieldOf(decl); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// fieldOf gives the name of a field and the field, or "" for what is none or has a name that is not known.
func fieldOf(decl ast.Decl) (string, *ast.Field) {
	field, ok := decl.(*ast.Field)
	if !ok {
		return "", nil
	}
	name, _, err := ast.LabelName(field.Label)
	if err != nil {
		return "", nil
	}
	return name, field
}
