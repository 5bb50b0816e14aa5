package main

import (
	"errors"
	"fmt"
	"strings"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/encoding/json"

	"wheelwright.dev/wheelwright/shared/cue"
)

// floorUses is how often one CUE context is evaluated on, before a new one is compiled outside of what is measured.
const floorUses = 256

// bareCUE evaluates the web service with what its two traits make of it, written as one definition, by CUE alone: what was
// compiled before gets parameters, is checked, and is written as JSON.
type bareCUE struct {
	text    string
	context *cuelang.Context
	root    cuelang.Value
	uses    int
}

func newBareCUE() (*bareCUE, error) {
	work, err := webservice(0)
	if err != nil {
		return nil, err
	}
	forms, err := cue.ReadForms(work.Definition)
	if err != nil {
		return nil, err
	}
	merged, err := files.ReadFile("definitions/merged.patch.cue")
	if err != nil {
		return nil, err
	}
	// The list of containers is left open for the one that the sidecar adds.
	const closed, open = "}]\n\t\t\t\t\tif parameter.pullSecrets", "}, ...]\n\t\t\t\t\tif parameter.pullSecrets"
	body := string(forms[0].Body)
	if strings.Count(body, closed) != 1 {
		return nil, errors.New("the web service is not written as the floor expects it")
	}
	return &bareCUE{text: strings.Replace(body, closed, open, 1) + "\ncontext: _\n" + string(merged)}, nil
}

// prepare compiles, where it is time to.
func (b *bareCUE) prepare() error {
	if b.context != nil && b.uses%floorUses != 0 {
		return nil
	}
	b.context = cuecontext.New()
	b.root = b.context.CompileString(b.text)
	return b.root.Err()
}

// evaluate evaluates the n-th web service and gives its two objects in JSON.
func (b *bareCUE) evaluate(n int) (deployment, service []byte, err error) {
	b.uses++
	input := fmt.Sprintf(`{"context":{"name":"web","revision":"r1"},"scaler":%s,"sidecar":%s,"parameter":%s}`, scalerProperties, sidecarProperties, propertiesOf(n))
	expression, err := json.Extract("", []byte(input))
	if err != nil {
		return nil, nil, err
	}
	root := b.root.Unify(b.context.BuildExpr(ast.Expr(expression)))
	if err := root.Validate(); err != nil {
		return nil, nil, err
	}
	if deployment, err = root.LookupPath(cuelang.ParsePath("output")).MarshalJSON(); err != nil {
		return nil, nil, err
	}
	service, err = root.LookupPath(cuelang.ParsePath("outputs.service")).MarshalJSON()
	return deployment, service, err
}
