package offline

import (
	"cuelang.org/go/cue/ast"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// checkComponent finds what no component that is an output can have, and what each must.
func (t *outputTexts) checkComponent(name string, values []ast.Expr) {
	whole := structure{values: map[string][]ast.Expr{}}
	for _, value := range values {
		lit, ok := value.(*ast.StructLit)
		if !ok {
			return
		}
		whole.add(lit)
	}
	given := map[string]string{}
	for _, field := range sortedNames(whole.values) {
		at := whole.values[field][0]
		switch into, known := cue.ComponentFields[field]; {
		case !known:
			t.problem(at, name, cue.UnknownField(field, cue.ComponentFields, cue.ComponentForm))
		case given[into] != "":
			t.problem(at, name, field+" says the same as "+given[into]+": keep one of them")
		default:
			given[into] = field
		}
	}
	switch typ, literal := whole.literal(given["type"]); {
	case given["type"] == "" && !whole.open:
		t.problem(values[0], name, "a component needs a type, the name of its definition")
	case literal:
		if _, err := definition.ParseReference(typ); err != nil {
			t.problem(whole.values[given["type"]][0], name, err.Error())
		}
	}
}

// checkCircle finds outputs of which none can be rendered first, since each needs what is live of another.
func checkCircle(w *written) []cue.Problem {
	references := cue.NewReferences(w.forms)
	reads, places := map[string][]string{}, map[string]string{}
	for _, form := range w.forms {
		for _, decl := range form.Syntax.Decls {
			name, field := fieldOf(decl)
			if name != "outputs" {
				continue
			}
			list, ok := field.Value.(*ast.ListLit)
			if !ok {
				return nil
			}
			for _, entry := range list.Elts {
				name := cue.NameOfEntry(entry)
				places[name] = cue.FormatPosition(entry.Pos())
				for _, seen := range references.In(entry) {
					if name != "" && seen.Output != "" && !seen.Optional {
						reads[name] = append(reads[name], seen.Output)
					}
				}
			}
		}
	}
	circle := cue.FindCircle(reads)
	if circle == nil {
		return nil
	}
	return []cue.Problem{{Position: places[circle[0]], Path: circle[0], Message: cue.CircleMessage(circle)}}
}
