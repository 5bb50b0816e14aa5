package cue

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"wheelwright.dev/wheelwright/shared/definition"
)

const (
	// preludeFile names the file that joins a definition to what is put in from outside.
	preludeFile = "wheelwright-prelude.cue"
	// InputFile names context and properties where they show up as places.
	InputFile = "wheelwright-input.json"
	// schemaName is the closed form of the parameters: it refuses those that the definition does not declare.
	schemaName = "#WheelwrightParameters"
	// packageName is what every file's package is made to be, whether it names one or not.
	packageName = "definition"
)

// source is a definition that was parsed once and is known to be sound as text.
type source struct {
	def   definition.Definition
	kind  kind
	forms []Form
	// parameters is the field that declares the parameters: "parameters" or "parameter".
	parameters string
	// declared are the top-level fields of all files.
	declared map[string]ast.Node
	// readsOutputs says whether context.outputs is referred to, since putting it in costs time.
	readsOutputs bool
	// evaluated is HasUnusualPatterns of the forms.
	evaluated bool
	// chain is what the outputs read of each other.
	chain chain
}

// readSource parses the files and finds what they declare. It reports every file's syntax errors at once.
func readSource(def definition.Definition, kind kind) (*source, error) {
	forms, err := ReadForms(def)
	if err != nil {
		return nil, err
	}
	src := &source{def: def, kind: kind, forms: forms, parameters: "parameters", declared: map[string]ast.Node{}, evaluated: HasUnusualPatterns(forms)}
	for _, form := range forms {
		for _, decl := range form.Syntax.Decls {
			if field, ok := decl.(*ast.Field); ok {
				if name, _, err := ast.LabelName(field.Label); err == nil {
					src.declared[name] = field
				}
			}
		}
		src.readsOutputs = src.readsOutputs || refersTo(form.Syntax, "context", "outputs")
	}
	if kind == kindComponent { // what a trait reads is what is rendered so far
		src.chain = readChain(forms)
	}
	return src, src.check()
}

// check finds what no evaluation would: a definition must declare outputs, and its parameters in one place.
func (s *source) check() error {
	var problems []Problem
	if s.kind == kindComponent && s.declared["outputs"] == nil {
		problems = append(problems, Problem{
			Position: s.def.Name,
			Message:  "the definition declares no outputs: add outputs: [{name: ..., value: {...}}] to one of its files",
		})
	}
	plural, singular := s.declared["parameters"], s.declared["parameter"]
	switch {
	case plural != nil && singular != nil:
		problems = append(problems, Problem{
			Position: formatPosition(singular.Pos()),
			Path:     "parameter",
			Message:  "the definition declares both parameters and parameter: keep one of them",
		})
	case singular != nil:
		s.parameters = "parameter"
	}
	for _, form := range s.forms {
		problems = append(problems, shadowedParameters(form.Syntax)...)
	}
	return newError(problems)
}

// instance is a fresh build instance of the definition. Its syntax trees are parsed again each time, since building
// writes into them.
func (s *source) instance() (*build.Instance, error) {
	files, err := s.parse()
	if err != nil {
		return nil, err
	}
	prelude, err := parser.ParseFile(preludeFile, s.prelude())
	if err != nil {
		return nil, fmt.Errorf("parsing the prelude of definition %s: %w", s.def.Name, err)
	}
	instance := NewInstance(s.def.Name)
	for _, file := range append(files, prelude) {
		SetPackage(file)
		if err := instance.AddSyntax(file); err != nil {
			return nil, newError(problemsOf(err))
		}
	}
	if err := Complete(instance); err != nil {
		return nil, err
	}
	return instance, nil
}

// noImports resolves no import path: what is not in CUE's standard library is not there.
func noImports(token.Pos, string) *build.Instance { return nil }

// explainImports says in one sentence for each import what CUE says in two that help nobody.
func explainImports(problems []Problem) []Problem {
	for i := range problems {
		if strings.HasPrefix(strings.TrimPrefix(problems[i].Message, "builtin "), `package "`) {
			problems[i].Message = "the import cannot be resolved: a definition can import nothing but CUE's standard library"
		}
	}
	return problems
}

// prelude makes parameters, parameter and, in a component, context.parameters one value, and gives the closed schema its name.
func (s *source) prelude() string {
	other := "parameter"
	if s.parameters == "parameter" {
		other = "parameters"
	}
	lines := []string{
		"context: _",
		"let wheelwrightParameters = " + s.parameters,
		other + ": wheelwrightParameters",
		schemaName + ": wheelwrightParameters",
	}
	if s.kind == kindComponent { // what a trait finds there is put in with the rest of its context
		lines = append(lines, "context: parameters: wheelwrightParameters")
	}
	if s.declared[s.parameters] == nil {
		lines = append(lines, s.parameters+": {}")
	}
	return strings.Join(lines, "\n")
}

// parse parses the files anew.
func (s *source) parse() ([]*ast.File, error) {
	var files []*ast.File
	for _, form := range s.forms {
		file, err := form.Parse()
		if err != nil {
			return nil, newError(problemsOf(err))
		}
		if s.chain.grouped {
			group(file)
		}
		files = append(files, file)
	}
	return files, nil
}

// SetPackage gives file the one package name, in place of its own or of none.
func SetPackage(file *ast.File) {
	for _, decl := range file.Decls {
		if clause, ok := decl.(*ast.Package); ok {
			clause.Name = ast.NewIdent(packageName)
			return
		}
	}
	file.Decls = append([]ast.Decl{&ast.Package{Name: ast.NewIdent(packageName)}}, file.Decls...)
}

// refersTo tells whether file selects field from name, or uses name in a way that leaves open what it selects.
func refersTo(file *ast.File, name, field string) bool {
	fields, all := SelectedFrom(file, name)
	return all || fields[field]
}

// SelectedFrom are the fields that file selects from name, as in name.field. All is set when file also uses name in a way
// that leaves open what it selects.
func SelectedFrom(file *ast.File, name string) (fields map[string]bool, all bool) {
	fields = map[string]bool{}
	selected := map[*ast.Ident]bool{}
	ast.Walk(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SelectorExpr:
			if ident, ok := node.X.(*ast.Ident); ok && ident.Name == name {
				label, _, err := ast.LabelName(node.Sel)
				selected[ident] = err == nil
				fields[label] = true
			}
		case *ast.Ident:
			all = all || node.Name == name && !selected[node]
		}
		return true
	}, nil)
	return fields, all
}
