package vela

import (
	"fmt"
	"maps"
	"sync"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/patch"
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
	text       *text
	// reads are the fields of the context that the definition refers to; nil stands for all of them.
	reads  map[string]bool
	health statusTexts
	// evaluated is set where what the definition renders must be evaluated to be patched.
	evaluated bool
	// known are the parameters that it declares.
	known func() knownFields
	// policy and message are the status texts; nil where there are none.
	policy, message *text
}

// statusTexts are the CUE texts that judge live objects; empty where there are none.
type statusTexts struct {
	healthPolicy string
	customStatus string
}

// New makes a Template of a definition whose files were read as forms. It evaluates the definition once without parameters
// to find what is wrong in any case. The error is a *cue.Error.
func New(def definition.Definition, forms []cue.Form) (*Template, error) {
	template := &Template{definition: def, forms: forms, declared: map[string]ast.Node{}, reads: readsContext(forms), evaluated: cue.HasUnusualPatterns(forms)}
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
	template.text = newText(def.Name, template.parse)
	template.known = sync.OnceValue(template.readKnown)
	if err := template.readStatus(); err != nil {
		return nil, err
	}
	template.policy, template.message = template.statusText("healthPolicy", template.health.healthPolicy), template.statusText("customStatus", template.health.customStatus)
	return template, template.checkStatus()
}

// readsContext finds what is referred to of the context, since putting in what nothing reads costs as much as reading it.
func readsContext(forms []cue.Form) map[string]bool {
	reads := map[string]bool{}
	for _, form := range forms {
		fields, all := cue.SelectedFrom(form.Syntax, "context")
		if all {
			return nil
		}
		maps.Copy(reads, fields)
	}
	return reads
}

// object is what a field of the definition renders, for patches.
func (t *Template) object(value cuelang.Value) patch.Object {
	if t.evaluated {
		return patch.NewEvaluatedObject(value)
	}
	return patch.NewObject(value)
}

// readsField tells whether the definition may read a field of the context.
func (t *Template) readsField(name string) bool { return t.reads == nil || t.reads[name] }

// parse parses the files anew.
func (t *Template) parse() ([]*ast.File, error) {
	var files []*ast.File
	for _, form := range t.forms {
		file, err := form.Parse()
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
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

// readStatus evaluates the definition without input, which finds what is wrong in any case, and the texts of one that has no
// header: status: {healthPolicy: "...", customStatus: "..."}.
func (t *Template) readStatus() error {
	done, err := t.text.evaluate(nil)
	if err != nil {
		return err
	}
	defer done.close()
	if t.declared[statusField] == nil || t.health != (statusTexts{}) {
		return nil
	}
	for _, text := range []struct {
		name string
		into *string
	}{{"healthPolicy", &t.health.healthPolicy}, {"customStatus", &t.health.customStatus}} {
		field := done.root.LookupPath(pathOf(statusField, text.name))
		if !field.Exists() {
			continue
		}
		found, err := field.String()
		if err != nil {
			return cue.NewError([]cue.Problem{cue.ProblemAt(field, fmt.Sprintf("status.%s must be a string of CUE", text.name))})
		}
		*text.into = found
	}
	return nil
}

func (t *Template) problemAt(node ast.Node, message string) cue.Problem {
	return cue.Problem{Position: cue.FormatPosition(node.Pos()), Message: message}
}
