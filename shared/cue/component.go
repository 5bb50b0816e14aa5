package cue

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/definition"
)

// ComponentFields are the fields of a component's value, each with the field of a Component's spec that it becomes: those of
// KEP-2.1, and the other spelling of KEP-2.10.
var ComponentFields = map[string]string{
	"type": "type", "definition": "type",
	"properties": "properties", "parameters": "properties",
	"traits": "traits",
}

// ComponentForm says in words what ComponentFields are.
const ComponentForm = "a component has type, properties and traits, or definition and parameters"

// traitFields are those of an entry of traits.
var traitFields = map[string]string{"type": "type", "properties": "properties"}

// readComponent makes the Component of an output. Its spec has what the author wrote, in the fields that a Component of a
// person has; revision and definitionSnapshot are not the author's.
func (r *outputReader) readComponent(field cue.Value, output string, content any) *unstructured.Unstructured {
	fields, ok := content.(map[string]any)
	if !ok {
		r.report(field, "value must be a map: which component to make, as {type: ..., properties: {...}}")
		return nil
	}
	spec := r.componentFields(field, fields, ComponentFields, ComponentForm)
	r.checkType(field, spec, "a component needs a type, the name of its definition")
	r.checkProperties(field, spec)
	r.checkTraits(field, spec)
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetAPIVersion(corev1alpha1.GroupVersion.String())
	object.SetKind("Component")
	object.SetName(childName(r.context.Name, output))
	object.SetNamespace(r.context.Namespace)
	r.noteObject(field, object)
	return object
}

// componentFields gives fields under their names in a spec.
func (r *outputReader) componentFields(at cue.Value, fields map[string]any, known map[string]string, all string) map[string]any {
	spec := map[string]any{}
	for _, key := range sortedKeys(fields) {
		place := at.LookupPath(cue.MakePath(cue.Str(key)))
		into, ok := known[key]
		switch _, taken := spec[into]; {
		case !ok:
			r.report(place, UnknownField(key, known, all))
		case taken:
			r.report(place, fmt.Sprintf("%s says the same as another field: keep one of them; %s", key, all))
		default:
			spec[into] = fields[key]
		}
	}
	return spec
}

// UnknownField is the message about a field that nobody knows, with the nearest one that is known.
func UnknownField(key string, known map[string]string, all string) string {
	if near := nearest(key, sortedKeys(known)); near != "" {
		return fmt.Sprintf("unknown field %s: did you mean %s? %s", key, near, all)
	}
	return fmt.Sprintf("unknown field %s: %s", key, all)
}

func (r *outputReader) checkType(at cue.Value, spec map[string]any, missing string) {
	typ, ok := spec["type"].(string)
	if !ok {
		r.report(at, missing+", a string")
		return
	}
	if _, err := definition.ParseReference(typ); err != nil {
		r.report(at, err.Error())
	}
}

func (r *outputReader) checkProperties(at cue.Value, spec map[string]any) {
	if _, ok := spec["properties"].(map[string]any); !ok && spec["properties"] != nil {
		r.report(at, "properties must be a map of parameters")
	}
}

func (r *outputReader) checkTraits(at cue.Value, spec map[string]any) {
	items, ok := spec["traits"].([]any)
	if !ok {
		if spec["traits"] != nil {
			r.report(at, "traits must be a list of {type, properties}")
		}
		return
	}
	list := at.LookupPath(cue.ParsePath("traits"))
	for i, item := range items {
		place := list.LookupPath(cue.MakePath(cue.Index(i)))
		fields, ok := item.(map[string]any)
		if !ok {
			r.report(place, "a trait must be a map: {type: ..., properties: {...}}")
			continue
		}
		trait := r.componentFields(place, fields, traitFields, "a trait has type and properties")
		r.checkType(place, trait, "a trait needs a type, the name of its definition")
		r.checkProperties(place, trait)
	}
}

// componentValue is a Component on a CUE context of its own. Defaults in what the author wrote as its properties can still be
// overridden.
func componentValue(object *unstructured.Unstructured, written cue.Value) (cue.Value, error) {
	encoded, err := object.MarshalJSON()
	if err != nil {
		return cue.Value{}, fmt.Errorf("encoding Component %s: %w", object.GetName(), err)
	}
	decided, err := decodeJSON(cuecontext.New(), encoded)
	if err != nil {
		return cue.Value{}, err
	}
	for _, name := range []string{"properties", "parameters"} {
		properties, ok := syntaxOf(written.LookupPath(cue.ParsePath(name))).(*ast.StructLit)
		if !ok {
			continue
		}
		whole := object.DeepCopy()
		unstructured.RemoveNestedField(whole.Object, "spec", "properties")
		if encoded, err = whole.MarshalJSON(); err != nil {
			return cue.Value{}, fmt.Errorf("encoding Component %s: %w", object.GetName(), err)
		}
		rest, err := ExtractJSON(encoded)
		if err != nil {
			return cue.Value{}, err
		}
		spec := ast.NewStruct("spec", ast.NewStruct("properties", &ast.StructLit{Elts: closed(properties.Elts)}))
		open := buildSyntax(&ast.File{Decls: append(rest.(*ast.StructLit).Elts, spec.Elts...)})
		if open.Validate(cue.Concrete(true)) == nil {
			return open, nil
		}
	}
	return decided, nil
}

// shadowedParameters finds components whose parameters are meant to be made of the definition's own. Within the field of that
// name, the name means the field.
func shadowedParameters(file *ast.File) []Problem {
	var problems []Problem
	ast.Walk(file, func(node ast.Node) bool {
		entry, ok := node.(*ast.StructLit)
		if !ok {
			return true
		}
		fields := &ast.File{Decls: entry.Elts}
		typ, value := fieldNamed(fields, "type"), structField(fields, "value")
		if typ == nil || value == nil || textOf(typ.Value) != OutputTypeComponent {
			return true
		}
		inner := fieldNamed(&ast.File{Decls: value.Value.(*ast.StructLit).Elts}, "parameters")
		if inner == nil || !mentions(inner.Value, "parameters") {
			return true
		}
		if label, ok := inner.Label.(*ast.Ident); ok {
			problems = append(problems, Problem{Position: formatPosition(label.Pos()), Path: "parameters",
				Message: "within parameters: {...} the name parameters means that field itself: " +
					"write context.parameters, or properties: {...}"})
		}
		return true
	}, nil)
	return problems
}

// IsComponent tells whether object is a Component, whatever output it comes from.
func IsComponent(object *unstructured.Unstructured) bool {
	kind := object.GroupVersionKind()
	return kind.Group == corev1alpha1.GroupVersion.Group && kind.Kind == "Component"
}

// CheckComponent refuses a Component that says of itself what only the hub may say.
func CheckComponent(object *unstructured.Unstructured) error {
	spec, _ := object.Object["spec"].(map[string]any)
	hubs := []string{"revision", "definitionSnapshot"}
	found := slices.DeleteFunc(hubs, func(field string) bool { return spec[field] == nil })
	if len(found) == 0 {
		return nil
	}
	return fmt.Errorf("the spec of Component %s has %s, which only the hub gives: leave it out",
		object.GetName(), strings.Join(found, " and "))
}
