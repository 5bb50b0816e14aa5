package offline

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"wheelwright.dev/wheelwright/shared/cue"
)

// checkStatus finds what is read of live objects and what nobody sets: in health, message and exports of a component, and in
// traits of the phase post that are for certain components.
func (v *vetter) checkStatus(one vetted) []cue.Problem {
	switch {
	case one.shape == cue.V1:
		return checkPolicy(one.written)
	case one.kind == kindComponent:
		return append(v.checkStatusReads(one.written, outputsOf(one.written), ""), checkCircle(one.written)...)
	}
	var problems []cue.Problem
	for _, name := range appliesTo(one.written) {
		for _, other := range v.read {
			if other.kind == kindComponent && other.definition.Name == name && other.shape == cue.KEP {
				problems = append(problems, v.checkStatusReads(one.written, outputsOf(other.written), " of component "+name)...)
			}
		}
	}
	return problems
}

// checkStatusReads checks the readings of context.status.<output>.<name> against outputs, and in a component those of
// context.outputs.<output> too.
func (v *vetter) checkStatusReads(w *written, outputs *outputTexts, of string) []cue.Problem {
	byName, known := map[string][]outputText{}, outputs.complete
	for _, output := range outputs.list {
		byName[output.name] = append(byName[output.name], output)
	}
	fromTraits, all := v.outputsOfTraits()
	var problems []cue.Problem
	for _, form := range w.forms {
		for _, reading := range readingsOf("context", form.Syntax) {
			if len(reading.path) < 2 || reading.path[0] != "status" && (reading.path[0] != "outputs" || w.kind != kindComponent) {
				continue
			}
			root, name := reading.path[0], reading.path[1]
			message := ""
			switch there := byName[name]; {
			case len(there) == 0 && known && all && !fromTraits[name]:
				message = fmt.Sprintf("context.%s.%s: there is no output %q%s: there are %s", root, name, name, of, listOf(byName))
			case root == "status" && len(there) > 0 && len(reading.path) > 2:
				message = missingPath(there, reading.path[2], of)
			}
			if message != "" {
				problems = append(problems, cue.Problem{Position: cue.FormatPosition(reading.position), Message: message})
			}
		}
	}
	return problems
}

// missingPath says that none of the outputs of one name has a statusPath. An output without any shows its whole status.
func missingPath(outputs []outputText, name, of string) string {
	var there []string
	for _, output := range outputs {
		if !output.pathsKnown || output.paths == nil || output.paths[name] {
			return ""
		}
		there = slices.Sorted(maps.Keys(output.paths))
	}
	return fmt.Sprintf("context.status.%s.%s: output %q%s has no statusPath of the name %q: add {name: %q, path: ...} to its statusPaths; there are %s",
		outputs[0].name, name, outputs[0].name, of, name, name, strings.Join(there, ", "))
}

// outputsOfTraits names the outputs that traits of the folder add. All is false where a trait adds some whose names are not
// known.
func (v *vetter) outputsOfTraits() (names map[string]bool, all bool) {
	names, all = map[string]bool{}, true
	for _, one := range v.read {
		if one.kind != kindTrait || one.shape == cue.V1 {
			continue
		}
		outputs := outputsOf(one.written)
		all = all && outputs.complete
		for _, output := range outputs.list {
			names[output.name] = true
		}
	}
	return names, all
}

// checkPolicy checks the readings of context.outputs.<name> in the health of KubeVela's shape, which sees no other objects.
func checkPolicy(w *written) []cue.Problem {
	objects := &namedOutputs{complete: true, values: map[string][]ast.Expr{}}
	for _, form := range w.forms {
		objects.readDecls(form.Syntax.Decls, false)
	}
	if !objects.complete {
		return nil
	}
	root, err := w.build("_")
	if err != nil {
		return nil
	}
	var problems []cue.Problem
	for _, text := range w.statusTexts(root) {
		for _, reading := range readingsOf("context", text) {
			if len(reading.path) < 2 || reading.path[0] != "outputs" || objects.values[reading.path[1]] != nil {
				continue
			}
			problems = append(problems, cue.Problem{Position: cue.FormatPosition(reading.position),
				Message: fmt.Sprintf("context.outputs.%s: the definition declares no such output: there are %s", reading.path[1], listOf(objects.values))})
		}
	}
	return problems
}

// appliesTo are the component types that a trait names beside its CUE, or in it as literals.
func appliesTo(w *written) []string {
	if len(w.definition.AppliesTo) > 0 {
		return w.definition.AppliesTo
	}
	var names []string
	for _, form := range w.forms {
		for _, decl := range form.Syntax.Decls {
			name, field := fieldOf(decl)
			if name != "appliesTo" {
				continue
			}
			if list, ok := field.Value.(*ast.ListLit); ok {
				for _, item := range list.Elts {
					if text, ok := literalText(item); ok {
						names = append(names, text)
					}
				}
			}
		}
	}
	return names
}

// listOf names the keys of a map in order.
func listOf[V any](values map[string]V) string {
	if names := sortedNames(values); len(names) > 0 {
		return strings.Join(names, ", ")
	}
	return "none"
}

func sortedNames[V any](values map[string]V) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(name string) bool { return name == "" })
}

// lineOf is the line of a place.
func lineOf(place string) string {
	parts := strings.Split(place, ":")
	return parts[min(1, len(parts)-1)]
}
