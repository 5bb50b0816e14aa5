package workflow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	wfupgrade "github.com/kubevela/workflow/pkg/cue/upgrade"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

const (
	parameterField  = "parameter"
	parametersField = "parameters"
	doField         = "#do"
	providerField   = "#provider"
)

// template is the definition of a custom step. Two styles are known: the KEP's, with `parameters` and a bare `#do`, and
// kubevela/workflow's own, with `parameter` and a `#provider` beside `#do`, mostly by import.
type template struct {
	name  string
	files []*ast.File
	// text is what the engine compiles: all files as one.
	text string
	// imports are the packages that the files import.
	imports map[string]bool
	// plural is set where the files declare `parameters`.
	plural bool
}

// readTemplate reads a definition. The *cue.Error has the places of all that is wrong as text.
func readTemplate(def definition.Definition) (*template, error) {
	forms, err := cue.ReadForms(def)
	if err != nil {
		return nil, err
	}
	result := &template{name: def.Name, imports: map[string]bool{}}
	for _, form := range forms {
		file, err := form.Parse()
		if err != nil {
			return nil, cue.NewError(cue.ProblemsOf(err))
		}
		result.files = append(result.files, file)
	}
	if err := result.join(); err != nil {
		return nil, err
	}
	return result, result.modernise()
}

// join makes one text of the files.
func (t *template) join() error {
	var imports, body []string
	for _, file := range t.files {
		for _, spec := range file.Imports {
			line := "import " + spec.Path.Value
			if spec.Name != nil {
				line = "import " + spec.Name.Name + " " + spec.Path.Value
			}
			if !slices.Contains(imports, line) {
				imports = append(imports, line)
			}
			if path, err := strconv.Unquote(spec.Path.Value); err == nil {
				t.imports[path] = true
			}
		}
		bare := &ast.File{}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.Package, *ast.ImportDecl:
				continue
			case *ast.Field:
				t.plural = t.plural || labelOf(decl) == parametersField
			}
			bare.Decls = append(bare.Decls, decl)
		}
		text, err := format.Node(bare)
		if err != nil {
			return fmt.Errorf("formatting the definition of step %s: %w", t.name, err)
		}
		body = append(body, string(text))
	}
	if t.plural {
		body = append(body, parametersField+": "+parameterField)
	}
	t.text = strings.Join(append(imports, body...), "\n")
	return nil
}

// modernise rewrites what older releases of CUE took, as the engine does for its own definitions.
func (t *template) modernise() error {
	const kind, area = wfupgrade.WorkflowStepKind, wfupgrade.TemplateAreaMain
	text, rewritten := wfupgrade.EnsureCueVersionCompatibility(t.text, t.name, kind, area)
	if !rewritten {
		return nil
	}
	file, err := parser.ParseFile(t.name, text, parser.ParseComments)
	if err != nil {
		return cue.NewError(cue.ProblemsOf(err))
	}
	t.text, t.files = text, []*ast.File{file}
	return nil
}

// declares tells whether one of the files has a field of that name.
func (t *template) declares(name string) bool {
	return slices.ContainsFunc(t.files, func(file *ast.File) bool { return fieldOf(file.Decls, name) != nil })
}

// calls finds the `#do` that are written out, each with the provider beside it.
func (t *template) calls(found func(do *ast.Field, name, provider string)) {
	for _, file := range t.files {
		ast.Walk(file, func(node ast.Node) bool {
			var decls []ast.Decl
			switch node := node.(type) {
			case *ast.File:
				decls = node.Decls
			case *ast.StructLit:
				decls = node.Elts
			}
			if do := fieldOf(decls, doField); do != nil {
				provider := ""
				if field := fieldOf(decls, providerField); field != nil {
					provider = literal(field.Value)
				}
				found(do, literal(do.Value), provider)
			}
			return true
		}, nil)
	}
}

func fieldOf(decls []ast.Decl, name string) *ast.Field {
	for _, decl := range decls {
		if field, ok := decl.(*ast.Field); ok && labelOf(field) == name {
			return field
		}
	}
	return nil
}

// literal is the text of a string that is written out, or empty.
func literal(expression ast.Expr) string {
	if basic, ok := expression.(*ast.BasicLit); ok {
		if text, err := strconv.Unquote(basic.Value); err == nil {
			return text
		}
	}
	return ""
}
