package offline

import (
	"slices"
	"strings"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"

	"wheelwright.dev/wheelwright/shared/cue"
)

// readsParameters finds where a definition reads its own parameters.
func (w *written) readsParameters(texts []*ast.File) []reading {
	var found []reading
	for _, file := range w.files(texts) {
		for _, name := range []string{plural, singular} {
			found = append(found, readingsOf(name, file)...)
		}
		if w.kind != kindComponent { // those in a trait's context are the component's
			continue
		}
		for _, reading := range readingsOf("context", file) {
			if len(reading.path) == 0 || reading.path[0] == plural || reading.path[0] == singular {
				reading.path = slices.Clone(reading.path[min(1, len(reading.path)):])
				found = append(found, reading)
			}
		}
	}
	return found
}

func (w *written) files(texts []*ast.File) []*ast.File {
	files := slices.Clone(texts)
	for _, form := range w.forms {
		files = append(files, form.Syntax)
	}
	return files
}

// statusTexts are the CUE texts that judge live objects in KubeVela's shape.
func (w *written) statusTexts(root cuelang.Value) []*ast.File {
	texts := map[string]string{}
	for _, form := range w.forms {
		if form.Header != nil {
			texts["healthPolicy"], texts["customStatus"] = form.Header.HealthPolicy, form.Header.CustomStatus
		}
	}
	for _, name := range []string{"healthPolicy", "customStatus"} {
		if text, err := root.LookupPath(cuelang.ParsePath("status." + name)).String(); err == nil && w.shape == cue.V1 {
			texts[name] = text
		}
	}
	var files []*ast.File
	for _, name := range []string{"customStatus", "healthPolicy"} {
		// The compiler reports what cannot be parsed.
		if file, err := parser.ParseFile(w.definition.Name+"/"+name, texts[name]); err == nil {
			files = append(files, file)
		}
	}
	return files
}

// readsOfComponent finds where a trait reads the parameters of the component that it is on.
func (w *written) readsOfComponent() []reading {
	var found []reading
	for _, form := range w.forms {
		for _, reading := range readingsOf("context", form.Syntax) {
			if len(reading.path) > 0 && (reading.path[0] == plural || reading.path[0] == singular) {
				found = append(found, restOf(reading))
			}
		}
	}
	return found
}

func restOf(from reading) reading {
	return reading{path: slices.Clone(from.path[1:]), position: from.position}
}

// declarationsOf are the fields that declare the parameters, and the definitions that these may refer to.
func (w *written) declarationsOf() []ast.Node {
	var found []ast.Node
	for _, form := range w.forms {
		for _, decl := range form.Syntax.Decls {
			if name, field := fieldOf(decl); name == w.parameters || strings.HasPrefix(name, "#") || strings.HasPrefix(name, "_") {
				if field != nil && field.Value != nil {
					found = append(found, field.Value)
				}
			}
		}
	}
	return found
}

// leavesOpen tells whether there may be parameters that the text of the declaration does not show.
func (w *written) leavesOpen() bool {
	open := false
	for _, decl := range w.declarationsOf() {
		ast.Walk(decl, func(node ast.Node) bool {
			switch node.(type) {
			case *ast.Comprehension, *ast.Ellipsis:
				open = true
			}
			return !open
		}, nil)
	}
	return open
}
