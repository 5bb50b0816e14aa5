package workflow

import (
	"fmt"
	"strconv"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"wheelwright.dev/wheelwright/shared/cue"
)

// blockList finds the list of a block and takes it apart, so that each element can be evaluated without the others. CUE
// gives a list all at once or not at all: one element that reads the output of a step to come would hide the ones before.
type blockList struct {
	block string
	// fields declare the block.
	fields []*ast.Field
	// opaque is set where the workflow is put together in a way that hides where the block is declared.
	opaque bool
	// elements is how many parts the list was taken into, or -1.
	elements int
}

const workflowField = "workflow"

// find looks for declarations of the block.
func (l *blockList) find(file *ast.File) {
	for _, decl := range file.Decls {
		field, ok := decl.(*ast.Field)
		if !ok || labelOf(field) != workflowField {
			continue
		}
		structure, ok := field.Value.(*ast.StructLit)
		if !ok {
			l.opaque = true
			continue
		}
		for _, inner := range structure.Elts {
			one, ok := inner.(*ast.Field)
			switch {
			case ok && labelOf(one) == l.block:
				l.fields = append(l.fields, one)
			case !ok && !isComment(inner):
				l.opaque = true
			}
		}
	}
}

// split makes `create: [a, b]` into `create: {"0": [a], "1": [b]}`, in place, so that references keep their scope. A list
// that is not written out in one place stays whole, and counts as one element.
func (l *blockList) split() {
	l.elements = -1
	if l.opaque || len(l.fields) != 1 {
		return
	}
	list, ok := l.fields[0].Value.(*ast.ListLit)
	if !ok {
		return
	}
	structure := &ast.StructLit{Lbrace: list.Lbrack, Rbrace: list.Rbrack}
	for _, element := range list.Elts {
		if _, open := element.(*ast.Ellipsis); open {
			continue
		}
		label := ast.NewString(strconv.Itoa(len(structure.Elts)))
		structure.Elts = append(structure.Elts, &ast.Field{Label: label, Value: &ast.ListLit{Elts: []ast.Expr{element}}})
	}
	l.fields[0].Value = structure
	l.elements = len(structure.Elts)
}

// element reads one element of the built definition.
func (l *blockList) element(root cuelang.Value, index int) (Element, error) {
	selectors := []cuelang.Selector{cuelang.Str(workflowField), cuelang.Str(l.block)}
	written := workflowField + "." + l.block
	elements := l.elements
	var split []string
	if l.elements < 0 {
		elements = 1
		if !root.LookupPath(cuelang.MakePath(selectors...)).Exists() {
			return Element{}, nil
		}
	}
	if index >= elements {
		return Element{Elements: elements}, nil
	}
	if l.elements >= 0 {
		selectors = append(selectors, cuelang.Str(strconv.Itoa(index)))
		quoted, plain := fmt.Sprintf("%s.\"%d\"", written, index), fmt.Sprintf("%s[%d]", written, index)
		split, written = []string{quoted + "[0]", plain + "[0]", quoted}, plain
	}
	steps, err := readSteps(root.LookupPath(cuelang.MakePath(selectors...)))
	if err != nil {
		return Element{Elements: elements}, elementProblems(err, written, split...)
	}
	return Element{Elements: elements, Steps: steps}, nil
}

func labelOf(field *ast.Field) string {
	name, _, err := ast.LabelName(field.Label)
	if err != nil {
		return ""
	}
	return name
}

func isComment(decl ast.Decl) bool {
	_, ok := decl.(*ast.CommentGroup)
	return ok
}

// readSteps reads a list of steps. A step's fields must be concrete; its properties need not be yet.
func readSteps(list cuelang.Value) ([]Step, error) {
	items, err := list.List()
	if err != nil {
		return nil, err
	}
	var steps []Step
	for items.Next() {
		step, err := readStep(items.Value())
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func readStep(value cuelang.Value) (Step, error) {
	fields, err := value.Fields()
	if err != nil {
		return Step{}, err
	}
	var step Step
	for fields.Next() {
		if err := step.read(fields.Selector().Unquoted(), fields.Value()); err != nil {
			return Step{}, err
		}
	}
	if step.Type == "" {
		return Step{}, problem(value, "a step needs a type, as in {type: \"dispatch\"}")
	}
	return step, nil
}

// problem is one thing that is wrong with value.
func problem(value cuelang.Value, format string, args ...any) error {
	return cue.NewError([]cue.Problem{cue.ProblemAt(value, fmt.Sprintf(format, args...))})
}
