package cue

import (
	"slices"

	"cuelang.org/go/cue/ast"
)

// chain is what the outputs of a definition read of the live objects of others, which is an order among them (KEP-2.10).
type chain struct {
	// reads are the names of outputs that are read, and all is set where an expression makes a name.
	reads []string
	all   bool
	// at finds a reference by the place of each of its selectors.
	at map[string]Reference
	// grouped is set where outputs is evaluated as a list of lists, one for each entry: an entry that may or may not be there
	// would else keep all others from being there.
	grouped bool
	// names are the literal names of the entries, where outputs is a literal list.
	names []string
}

// Reads are the names of the outputs whose live objects rendering reads, and whether it may read any. A definition that reads
// none renders to the same whatever is live.
func (t *Template) Reads() (names []string, all bool) {
	return t.source.chain.reads, t.source.chain.all
}

func readChain(forms []Form) chain {
	references := NewReferences(forms)
	found := chain{at: map[string]Reference{}}
	var lists []*ast.ListLit
	for _, form := range forms {
		field := fieldNamed(form.Syntax, "outputs")
		if field == nil {
			continue
		}
		list, _ := field.Value.(*ast.ListLit)
		lists = append(lists, list)
		for _, seen := range references.In(field.Value) {
			found.all = found.all || seen.Output == ""
			found.reads = append(found.reads, seen.Output)
			for _, place := range seen.places {
				if known, taken := found.at[place]; place != "" && (!taken || len(known.Path) < len(seen.Path)) {
					found.at[place] = seen.Reference
				}
			}
		}
	}
	slices.Sort(found.reads)
	found.reads = slices.DeleteFunc(slices.Compact(found.reads), func(name string) bool { return name == "" })
	if len(lists) == 1 && lists[0] != nil && found.isThere() {
		found.readList(forms, lists[0])
	}
	return found
}

func (c *chain) readList(forms []Form, list *ast.ListLit) {
	for _, entry := range list.Elts {
		_, conditional := entry.(*ast.Comprehension)
		c.grouped = c.grouped || conditional
		c.names = append(c.names, NameOfEntry(entry))
		if _, open := entry.(*ast.Ellipsis); open {
			c.grouped, c.names = false, nil
			return
		}
	}
	for _, form := range forms {
		// An expression that refers to outputs means the list as it is written.
		c.grouped = c.grouped && !mentions(form.Syntax, "outputs")
	}
}

// isThere tells whether anything is read at all.
func (c *chain) isThere() bool { return c.all || len(c.reads) > 0 }

// complete makes sure that what is not there is absent, and not everything.
func (c *chain) complete(context Context) Context {
	if !c.isThere() {
		return context
	}
	if context.Outputs == nil {
		context.Outputs = map[string]map[string]any{}
	}
	if context.Status == nil {
		context.Status = map[string]map[string]any{}
	}
	return context
}

// NameOfEntry is the literal name of an entry of outputs, or "".
func NameOfEntry(entry ast.Expr) string {
	if conditional, ok := entry.(*ast.Comprehension); ok {
		entry, _ = conditional.Value.(*ast.StructLit)
	}
	lit, ok := entry.(*ast.StructLit)
	if !ok || lit == nil {
		return ""
	}
	if len(lit.Elts) == 1 { // if condition {{name: ...}}
		if embedded, ok := lit.Elts[0].(*ast.EmbedDecl); ok {
			return NameOfEntry(embedded.Expr)
		}
	}
	if field := fieldNamed(&ast.File{Decls: lit.Elts}, "name"); field != nil {
		return textOf(field.Value)
	}
	return ""
}

// group puts each entry of outputs into a list of its own.
func group(file *ast.File) {
	field := fieldNamed(file, "outputs")
	if field == nil {
		return
	}
	list, ok := field.Value.(*ast.ListLit)
	if !ok {
		return
	}
	for i, entry := range list.Elts {
		list.Elts[i] = &ast.ListLit{Lbrack: entry.Pos(), Elts: []ast.Expr{entry}, Rbrack: entry.End()}
	}
}
