package cue

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"

	"wheelwright.dev/wheelwright/shared/definition"
)

// Composes are the types of components, and of their traits, that a definition's outputs name as they are written. A type that
// is computed is not among them.
func Composes(def definition.Definition) (components, traits []string) {
	if !mentionsComponents(def) {
		return nil, nil
	}
	forms, err := ReadForms(def)
	if err != nil {
		return nil, nil // what cannot be read is refused elsewhere
	}
	found := composed{components: map[string]bool{}, traits: map[string]bool{}}
	for _, form := range forms {
		ast.Walk(form.Syntax, func(node ast.Node) bool {
			if entry, ok := node.(*ast.StructLit); ok && literalOf(entry, "type") == OutputTypeComponent {
				found.add(entry)
			}
			return true
		}, nil)
	}
	return slices.Sorted(maps.Keys(found.components)), slices.Sorted(maps.Keys(found.traits))
}

// mentionsComponents spares most definitions from being parsed: the hub asks each time that it reconciles.
func mentionsComponents(def definition.Definition) bool {
	for _, source := range def.Files {
		if strings.Contains(source, `"`+OutputTypeComponent+`"`) {
			return true
		}
	}
	return false
}

type composed struct{ components, traits map[string]bool }

func (c composed) add(entry *ast.StructLit) {
	value, ok := valueOf(entry, "value").(*ast.StructLit)
	if !ok {
		return
	}
	for _, key := range []string{"type", "definition"} {
		if typ := literalOf(value, key); typ != "" {
			c.components[typ] = true
		}
	}
	list, ok := valueOf(value, "traits").(*ast.ListLit)
	if !ok {
		return
	}
	for _, item := range list.Elts {
		if trait, ok := item.(*ast.StructLit); ok {
			if typ := literalOf(trait, "type"); typ != "" {
				c.traits[typ] = true
			}
		}
	}
}

// valueOf is a field's value as it is written, also where the struct is written as a chain, as value: type: "web".
func valueOf(structure *ast.StructLit, name string) ast.Expr {
	field := fieldNamed(&ast.File{Decls: structure.Elts}, name)
	if field == nil {
		return nil
	}
	return field.Value
}

func literalOf(structure *ast.StructLit, name string) string {
	text, ok := valueOf(structure, name).(*ast.BasicLit)
	if !ok {
		return ""
	}
	unquoted, err := literal.Unquote(text.Value)
	if err != nil {
		return ""
	}
	return unquoted
}
