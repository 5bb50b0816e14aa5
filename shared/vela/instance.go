package vela

import (
	"fmt"
	"runtime"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"

	"wheelwright.dev/wheelwright/shared/cue"
)

// maxUses is the number of evaluations after which an instance is dropped: a CUE context never lets go of what was built
// on it.
const maxUses = 256

// instance is CUE text built on a CUE context of its own, without input. It belongs to one goroutine at a time.
type instance struct {
	context *cuelang.Context
	root    cuelang.Value
	uses    int
}

// text is CUE that is evaluated again and again with other input.
type text struct {
	name string
	// parse gives fresh syntax trees, since building writes into them.
	parse func() ([]*ast.File, error)
	// idle holds instances that no evaluation is using.
	idle chan *instance
}

func newText(name string, parse func() ([]*ast.File, error)) *text {
	return &text{name: name, parse: parse, idle: make(chan *instance, runtime.GOMAXPROCS(0))}
}

// evaluation is a text with its input in it. Its values are good until it is closed.
type evaluation struct {
	root     cuelang.Value
	text     *text
	instance *instance
}

// close lets the next evaluation have the instance.
func (e *evaluation) close() {
	if e.instance.uses >= maxUses {
		return
	}
	select {
	case e.text.idle <- e.instance:
	default:
	}
}

// evaluate puts input into the text. A panic of the CUE evaluator becomes an error, and the instance is dropped, as nothing
// is known of its state.
func (t *text) evaluate(in input) (done *evaluation, err error) {
	defer cue.Guard(t.name, &err)
	borrowed, err := t.borrow()
	if err != nil {
		return nil, err
	}
	expression, err := in.syntax()
	if err != nil {
		return nil, err
	}
	borrowed.uses++
	root := borrowed.root
	if len(expression.Elts) > 0 {
		root = root.Unify(borrowed.context.BuildExpr(expression))
	}
	return &evaluation{root: root, text: t, instance: borrowed}, nil
}

func (t *text) borrow() (*instance, error) {
	select {
	case borrowed := <-t.idle:
		return borrowed, nil
	default:
		return t.build()
	}
}

// build fails on what no input can mend: imports and references that nothing resolves.
func (t *text) build() (*instance, error) {
	built := cue.NewInstance(t.name)
	files, err := t.parse()
	if err != nil {
		return nil, cue.NewError(cue.ProblemsOf(err))
	}
	declarations, err := parser.ParseFile(cue.InputFile, "context: _\nparameter: _\n")
	if err != nil {
		return nil, fmt.Errorf("parsing the declarations of the input: %w", err)
	}
	for _, file := range append(files, declarations) {
		if err := add(built, file); err != nil {
			return nil, err
		}
	}
	if err := cue.Complete(built); err != nil {
		return nil, err
	}
	context := cuecontext.New()
	root := context.BuildInstance(built)
	// Nothing can be built where a reference is not resolved.
	if !root.LookupPath(pathOf("context")).Exists() {
		return nil, cue.NewError(cue.ProblemsOf(root.Err()))
	}
	return &instance{context: context, root: root}, nil
}

func add(instance *build.Instance, file *ast.File) error {
	cue.SetPackage(file)
	if err := instance.AddSyntax(file); err != nil {
		return cue.NewError(cue.ProblemsOf(err))
	}
	return nil
}
