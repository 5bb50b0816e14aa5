package offline

import "cuelang.org/go/cue/ast"

// structure is a struct as its text shows it.
type structure struct {
	// values by label; a label that is written twice has two.
	values map[string][]ast.Expr
	// open is set where there may be other fields: embedded ones, conditional ones, or such with names that are not literal.
	open bool
}

func structureOf(lit *ast.StructLit) structure {
	read := structure{values: map[string][]ast.Expr{}}
	read.add(lit)
	return read
}

func (s *structure) add(lit *ast.StructLit) {
	for _, decl := range lit.Elts {
		switch decl := decl.(type) {
		case *ast.Field:
			name, _ := fieldOf(decl)
			if name == "" {
				s.open = true
				continue
			}
			s.values[name] = append(s.values[name], decl.Value)
		case *ast.LetClause, *ast.CommentGroup, *ast.Attribute:
		default:
			s.open = true
		}
	}
}

// literal is a value that is written as a literal string.
func (s *structure) literal(name string) (string, bool) {
	if len(s.values[name]) != 1 {
		return "", false
	}
	return literalText(s.values[name][0])
}
