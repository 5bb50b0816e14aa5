package workflow

import (
	"encoding/json"
	"fmt"
	"strings"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"

	"wheelwright.dev/wheelwright/shared/cue"
)

// check evaluates the template as the engine will, but calls nothing. The engine takes a template that cannot be evaluated
// for one that has succeeded, from its second try on, so it must never see one.
func (t *template) check(packages []*build.Instance, context, parameters []byte) error {
	instance := build.NewContext().NewInstance(t.name, nil)
	instance.Imports = packages
	for _, file := range t.files {
		if err := add(instance, file); err != nil {
			return err
		}
	}
	input := &ast.File{Filename: cue.InputFile}
	if t.plural {
		input.Decls = append(input.Decls, &ast.Field{Label: ast.NewIdent(parametersField), Value: ast.NewIdent(parameterField)})
	}
	for name, encoded := range map[string][]byte{"context": context, parameterField: parameters} {
		expression, err := cue.ExtractJSON(encoded)
		if err != nil {
			return err
		}
		input.Decls = append(input.Decls, &ast.Field{Label: ast.NewIdent(name), Value: expression})
	}
	if err := add(instance, input); err != nil {
		return err
	}
	return t.validate(cuecontext.New().BuildInstance(instance))
}

func (t *template) validate(root cuelang.Value) error {
	if err := root.Validate(); err != nil {
		return cue.NewError(cue.ProblemsOf(err))
	}
	// A definition that an import does not have never comes, whatever actions return.
	if err := undecided(root); err != nil && strings.Contains(err.Error(), "undefined field: #") {
		return cue.NewError([]cue.Problem{{Position: t.name, Message: err.Error()}})
	}
	for _, field := range []string{parameterField, parametersField} {
		parameters := root.LookupPath(cuelang.ParsePath(field))
		if err := parameters.Validate(cuelang.Concrete(true), cuelang.Final()); parameters.Exists() && err != nil {
			return cue.NewError(cue.ProblemsOf(err))
		}
	}
	return nil
}

// checkProperties refuses properties that the template does not declare, which nothing would ever read.
func (p *providers) checkProperties(t *template, properties map[string]json.RawMessage) error {
	if len(properties) == 0 {
		return nil
	}
	const schema = "#WheelwrightStep"
	declared := parameterField
	if t.plural {
		declared = parametersField
	}
	compiler, err := p.compiler(t.imports)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s\ncontext: _\n%s: _\n%s: %s\n", t.text, parameterField, schema, declared)
	file, err := parser.ParseFile(t.name, text)
	if err != nil {
		return cue.NewError(cue.ProblemsOf(err))
	}
	instance := build.NewContext().NewInstance(t.name, nil)
	instance.Imports = compiler.GetImports()
	if err := add(instance, file); err != nil {
		return err
	}
	parameters := cuecontext.New().BuildInstance(instance).LookupPath(cuelang.ParsePath(schema))
	var problems []cue.Problem
	for _, name := range sortedKeys(properties) {
		if !t.declares(declared) || !parameters.Allows(cuelang.Str(name)) {
			problems = append(problems, cue.Problem{Position: t.name, Message: fmt.Sprintf("there is no parameter %q", name)})
		}
	}
	return cue.NewError(problems)
}

// undecided finds a value on which no decision was possible, such as a condition over what is not there. CUE passes over it,
// and over all that hangs on it, without a word. Values that are merely open, as a type is, are decided.
func undecided(value cuelang.Value) error {
	if err := value.Err(); err != nil {
		return fmt.Errorf("it cannot be decided: %s", reasonOf(err))
	}
	if items, err := value.List(); err == nil {
		for items.Next() {
			if err := undecided(items.Value()); err != nil {
				return err
			}
		}
		return nil
	}
	fields, err := value.Fields(cuelang.Hidden(true))
	if err != nil {
		return nil // a scalar
	}
	for fields.Next() {
		if err := undecided(fields.Value()); err != nil {
			return fmt.Errorf("%s: %w", fields.Selector(), err)
		}
	}
	return nil
}
