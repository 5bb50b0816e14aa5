package cue

import (
	"bytes"
	"maps"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"wheelwright.dev/wheelwright/shared/definition"
)

// templateField wraps what is rendered in KubeVela's own files, and in the nested form that some KEPs show.
const templateField = "template"

// Form is one file of a definition as it is evaluated: what stands in `template: {...}` is at the top level, and the header
// of KubeVela's own files is apart.
type Form struct {
	// File is definition and file, as places show them.
	File string
	// Body is the CUE text. Every token in it stands where the author wrote it, so that places stay right.
	Body []byte
	// Header is what `"name": {type: "component", ...}` says, or nil where there is none.
	Header *Header
	// Syntax is Body, parsed. Building it writes into it: whoever builds parses Body anew.
	Syntax *ast.File
}

// Header is what KubeVela's own files say of a definition beside its template.
type Header struct {
	// Name and Type of the definition, as webservice and component.
	Name string
	Type string
	// HealthPolicy is CUE text that declares isHealth, and CustomStatus CUE text that declares message.
	HealthPolicy string
	CustomStatus string
}

// headerTypes are the types by which a header is known.
var headerTypes = map[string]bool{"component": true, "trait": true, "workload": true, "policy": true, "workflow-step": true}

// ReadForms parses the files of def, in the order of their names. The *Error has the syntax errors of all files at once.
func ReadForms(def definition.Definition) (forms []Form, err error) {
	defer Guard(def.Name, &err)
	if err := checkSource(def.Name, maps.Values(def.Files)); err != nil {
		return nil, err
	}
	var problems []Problem
	for _, name := range def.FileNames() {
		form, wrong := readForm(def.Name+"/"+name, []byte(def.Files[name]))
		problems = append(problems, wrong...)
		forms = append(forms, form)
	}
	return forms, newError(problems)
}

// Parse parses the body anew.
func (f Form) Parse() (*ast.File, error) {
	return parser.ParseFile(f.File, f.Body, parser.ParseComments)
}

func readForm(file string, text []byte) (Form, []Problem) {
	form := Form{File: file, Body: text}
	syntax, err := form.Parse()
	if err != nil {
		return form, problemsOf(err)
	}
	form.Syntax = syntax
	if problems := checkSyntax(syntax); len(problems) > 0 {
		return form, problems
	}
	wrapper := structField(syntax, templateField)
	if wrapper == nil || fieldNamed(syntax, "outputs") != nil || fieldNamed(syntax, "output") != nil {
		return form, nil
	}
	form.Body = bytes.Clone(text)
	var problems []Problem
	if header, name := headerOf(syntax); header != nil {
		form.Header, problems = readHeader(name, header.Value)
		blank(form.Body, header.Pos(), header.End())
	}
	structure := wrapper.Value.(*ast.StructLit)
	blank(form.Body, wrapper.Pos(), structure.Lbrace.Add(1))
	blank(form.Body, structure.Rbrace, structure.Rbrace.Add(1))
	if form.Syntax, err = form.Parse(); err != nil {
		return form, append(problems, problemsOf(err)...)
	}
	return form, problems
}

// blank writes spaces over the text between two places and leaves its lines as they are.
func blank(text []byte, from, to token.Pos) {
	for i := from.Offset(); i < min(to.Offset(), len(text)); i++ {
		if text[i] != '\n' && text[i] != '\r' {
			text[i] = ' '
		}
	}
}

// headerOf finds the field that describes the definition, and the definition's name.
func headerOf(file *ast.File) (*ast.Field, string) {
	for _, decl := range file.Decls {
		field, ok := decl.(*ast.Field)
		if !ok {
			continue
		}
		name, _, err := ast.LabelName(field.Label)
		structure, isStruct := field.Value.(*ast.StructLit)
		if err != nil || !isStruct || name == templateField {
			continue
		}
		if typ := fieldNamed(&ast.File{Decls: structure.Elts}, "type"); typ != nil && headerTypes[textOf(typ.Value)] {
			return field, name
		}
	}
	return nil, ""
}

// readHeader evaluates the header, since its texts may be put together by expressions.
func readHeader(name string, expression ast.Expr) (*Header, []Problem) {
	value := cuecontext.New().BuildExpr(expression)
	if err := value.Err(); err != nil {
		return nil, problemsOf(err)
	}
	var problems []Problem
	text := func(path string) string {
		field := value.LookupPath(cue.ParsePath(path))
		if !field.Exists() {
			return ""
		}
		text, err := field.String()
		if err != nil {
			problems = append(problems, problemsOf(err)...)
		}
		return text
	}
	header := &Header{
		Name: name, Type: text("type"),
		HealthPolicy: text("attributes.status.healthPolicy"), CustomStatus: text("attributes.status.customStatus"),
	}
	return header, problems
}

// structField is the top-level field of that name whose value is a struct in braces, or nil.
func structField(file *ast.File, name string) *ast.Field {
	field := fieldNamed(file, name)
	if field == nil {
		return nil
	}
	if structure, ok := field.Value.(*ast.StructLit); !ok || !structure.Lbrace.IsValid() {
		return nil
	}
	return field
}

func fieldNamed(file *ast.File, name string) *ast.Field {
	for _, decl := range file.Decls {
		if field, ok := decl.(*ast.Field); ok {
			if label, _, err := ast.LabelName(field.Label); err == nil && label == name {
				return field
			}
		}
	}
	return nil
}

// FindHeader gives the name and type that a file in KubeVela's own form states, or empty ones. It evaluates nothing.
func FindHeader(text []byte) Header {
	syntax, err := ParseText("", string(text))
	if err != nil {
		return Header{}
	}
	field, name := headerOf(syntax)
	if field == nil || structField(syntax, templateField) == nil {
		return Header{}
	}
	structure := field.Value.(*ast.StructLit)
	return Header{Name: name, Type: textOf(fieldNamed(&ast.File{Decls: structure.Elts}, "type").Value)}
}

// HasUnusualPatterns tells whether a definition constrains fields by patterns of their names, other than all of them, as in
// [=~"^a"]: string. CUE's API does not show such constraints of a value.
func HasUnusualPatterns(forms []Form) bool {
	found := false
	for _, form := range forms {
		ast.Walk(form.Syntax, func(node ast.Node) bool {
			if field, ok := node.(*ast.Field); ok {
				found = found || isUnusualPattern(field.Label)
			}
			return !found
		}, nil)
	}
	return found
}

func isUnusualPattern(label ast.Label) bool {
	pattern, ok := label.(*ast.ListLit)
	if !ok || len(pattern.Elts) != 1 {
		return ok
	}
	name, ok := pattern.Elts[0].(*ast.Ident)
	return !ok || name.Name != "string" && name.Name != "_"
}
