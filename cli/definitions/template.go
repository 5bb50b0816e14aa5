package definitions

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"wheelwright.dev/wheelwright/shared/cue"
)

// velaPackages begins the paths of KubeVela's own packages, which call a cluster or a server while they are evaluated.
const velaPackages = "vela"

// template is a definition's CUE, parted into what stands at the top of a file and what stands in `template: {...}`.
type template struct {
	imports []ast.Decl
	body    []ast.Decl
}

// parseTemplate reads a template. The error says what in it cannot be imported.
func parseTemplate(text string) (*template, error) {
	file, err := parser.ParseFile("template", text, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("the template is no CUE: %w", cue.NewError(cue.ProblemsOf(err)))
	}
	read := &template{}
	for _, group := range ast.Comments(file) {
		read.body = append(read.body, group)
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.Package: // the file that it goes to has none
		case *ast.ImportDecl:
			if err := checkImports(decl); err != nil {
				return nil, err
			}
			read.imports = append(read.imports, decl)
		default:
			read.body = append(read.body, decl)
		}
	}
	return read, nil
}

func checkImports(decl *ast.ImportDecl) error {
	for _, spec := range decl.Specs {
		name, err := literal.Unquote(spec.Path.Value)
		if err != nil {
			return fmt.Errorf("the template imports %s, which is no path: %w", spec.Path.Value, err)
		}
		if first, _, _ := strings.Cut(name, "/"); first == velaPackages || strings.Contains(first, ".") {
			return fmt.Errorf("the template imports %q: a definition can import nothing but CUE's standard library, and no package of KubeVela's", name)
		}
	}
	return nil
}

// writeFile writes a definition in KubeVela's own form: imports, header, and the rest of the template in braces.
func writeFile(header *ast.Field, content *template) (string, error) {
	for _, decl := range content.body {
		if pos := decl.Pos(); pos.RelPos() < token.Newline {
			ast.SetRelPos(decl, token.Newline)
		}
	}
	wrapper := &ast.Field{Label: ast.NewIdent("template"), Value: structOf(content.body)}
	file := &ast.File{Decls: append(append([]ast.Decl{}, content.imports...), header, wrapper)}
	text, err := format.Node(file)
	if err != nil {
		return "", fmt.Errorf("the template cannot be written: %w", err)
	}
	return string(text), nil
}

// structOf is a struct with a line for each field.
func structOf(decls []ast.Decl) *ast.StructLit {
	return &ast.StructLit{Lbrace: token.Blank.Pos(), Elts: decls, Rbrace: token.Newline.Pos()}
}
