package vela

import (
	"fmt"

	"cuelang.org/go/cue/ast"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// Names of the fields that a definition of this shape declares.
const (
	parameterField    = "parameter"
	outputField       = "output"
	outputsField      = "outputs"
	patchField        = "patch"
	patchOutputsField = "patchOutputs"
	errsField         = "errs"
	statusField       = "status"
	processingField   = "processing"
)

// MainOutput is the name of a component's main object among its outputs.
const MainOutput = "output"

// Template is a definition in the shape of KubeVela v1, sound as text. It is immutable and safe for concurrent use.
type Template struct {
	definition definition.Definition
	forms      []cue.Form
	declared   map[string]ast.Node
	health     statusTexts
}

// statusTexts are the CUE texts that judge live objects; empty where there are none.
type statusTexts struct {
	healthPolicy string
	customStatus string
}

// New makes a Template of a definition whose files were read as forms. It evaluates the definition once without parameters
// to find what is wrong in any case. The error is a *cue.Error.
func New(def definition.Definition, forms []cue.Form) (*Template, error) {
	template := &Template{definition: def, forms: forms, declared: map[string]ast.Node{}}
	for _, form := range forms {
		for _, decl := range form.Syntax.Decls {
			if field, ok := decl.(*ast.Field); ok {
				if name, _, err := ast.LabelName(field.Label); err == nil {
					template.declared[name] = field
				}
			}
		}
		if form.Header != nil {
			template.health = statusTexts{healthPolicy: form.Header.HealthPolicy, customStatus: form.Header.CustomStatus}
		}
	}
	if node := template.declared[processingField]; node != nil {
		return nil, cue.NewError([]cue.Problem{template.problemAt(node,
			"processing is not supported: what a definition renders depends on nothing but its parameters and the context")})
	}
	if _, err := template.build(nil); err != nil {
		return nil, err
	}
	if err := template.readStatus(); err != nil {
		return nil, err
	}
	return template, template.checkStatus()
}

// Definition is what the Template was made of.
func (t *Template) Definition() definition.Definition { return t.definition }

// HasHealth tells whether the definition says itself when it is healthy.
func (t *Template) HasHealth() bool { return t.health.healthPolicy != "" }

// HasMessage tells whether the definition has words for how its objects are.
func (t *Template) HasMessage() bool { return t.health.customStatus != "" }

// CheckComponent finds what every component must declare.
func (t *Template) CheckComponent() error {
	if t.declared[outputField] != nil {
		return nil
	}
	return cue.NewError([]cue.Problem{{Position: t.definition.Name, Message: "the definition declares no output: add output: {apiVersion: ..., kind: ...}"}})
}

// readStatus finds the texts of a definition that has no header: status: {healthPolicy: "...", customStatus: "..."}.
func (t *Template) readStatus() error {
	if t.declared[statusField] == nil || t.health != (statusTexts{}) {
		return nil
	}
	root, err := t.build(nil)
	if err != nil {
		return err
	}
	for path, text := range map[string]*string{
		"healthPolicy": &t.health.healthPolicy, "customStatus": &t.health.customStatus,
	} {
		field := root.LookupPath(pathOf(statusField, path))
		if !field.Exists() {
			continue
		}
		found, err := field.String()
		if err != nil {
			return cue.NewError([]cue.Problem{cue.ProblemAt(field, fmt.Sprintf("status.%s must be a string of CUE", path))})
		}
		*text = found
	}
	return nil
}

func (t *Template) problemAt(node ast.Node, message string) cue.Problem {
	return cue.Problem{Position: cue.FormatPosition(node.Pos()), Message: message}
}
