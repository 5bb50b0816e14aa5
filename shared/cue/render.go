package cue

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Render evaluates the outputs. All of them are concrete objects with apiVersion, kind and name, or the *Error that it
// returns has every reason why not. Nothing is rendered in part, but for outputs that wait for the live object of another
// one: those have Waits and no Object. Properties that CheckParameters accepts are taken for granted: others are judged by CUE alone
// here, in its own words.
func (t *Template) Render(context Context, properties []byte) ([]Output, error) {
	properties = orEmpty(properties)
	if err := checkProperties(properties); err != nil {
		return nil, err
	}
	var outputs []Output
	err := t.use(func(i *instance) error {
		root, err := i.evaluate(t.source.chain.complete(context), properties)
		if err != nil {
			return err
		}
		entries, err := t.source.readEntries(root, context)
		for _, entry := range entries {
			outputs = append(outputs, entry.Output)
		}
		return err
	})
	return outputs, err
}

func readOutputs(list cue.Value, context Context) ([]Output, error) {
	if kind := list.IncompleteKind(); kind != cue.BottomKind && kind&cue.ListKind == 0 {
		return nil, newError([]Problem{problemAt(list, "outputs must be a list of {name, value}")})
	}
	if problems := problemsIn(list); len(problems) > 0 {
		return nil, newError(problems)
	}
	items, err := list.List()
	if err != nil {
		return nil, newError(problemsOf(err))
	}
	reader := newOutputReader(context)
	var outputs []Output
	for items.Next() {
		outputs = append(outputs, reader.read(items.Value()))
	}
	if err := newError(reader.problems); err != nil {
		return nil, err
	}
	return outputs, nil
}

// problemsIn finds everything in value that is in conflict or not concrete. CUE by itself leaves out what is not concrete
// where there are conflicts, so each part is asked too; what it says of a path that is known already is the same again in
// other words.
func problemsIn(value cue.Value) []Problem {
	err := value.Validate(cue.Concrete(true))
	if err == nil {
		return nil
	}
	problems := problemsOf(err)
	known := map[string]int{}
	for i, problem := range problems {
		if problem.Position == "" && problem.Path == pathOf(value) {
			problems[i].Position = formatPosition(value.Pos())
		}
		known[problem.Path] = i
	}
	for _, part := range partsOf(value) {
		for _, problem := range problemsIn(part) {
			if i, ok := known[problem.Path]; !ok {
				problems = append(problems, problem)
			} else if problems[i].Position == "" {
				problems[i].Position = problem.Position
			}
		}
	}
	return problems
}

// partsOf gives the fields of a struct or the items of a list, also of one that has conflicts inside.
func partsOf(value cue.Value) []cue.Value {
	var parts []cue.Value
	if fields, err := value.Fields(); err == nil {
		for fields.Next() {
			parts = append(parts, fields.Value())
		}
	}
	for index := 0; ; index++ {
		item := value.LookupPath(cue.MakePath(cue.Index(index)))
		if !item.Exists() {
			return parts
		}
		parts = append(parts, item)
	}
}

// outputReader reads outputs that are known to be concrete.
type outputReader struct {
	decoder

	context Context
	// names and objects say where an output name, and an object, came first.
	names   map[string]string
	objects map[string]string
}

func newOutputReader(context Context) *outputReader {
	return &outputReader{context: context, names: map[string]string{}, objects: map[string]string{}}
}

func (r *outputReader) read(value cue.Value) Output {
	entry, ok := r.value(value).(map[string]any)
	if !ok {
		r.report(value, "an output must be a struct of name and value")
		return Output{}
	}
	output := Output{Type: r.readType(value, entry)}
	for _, key := range sortedKeys(entry) {
		field := value.LookupPath(cue.MakePath(cue.Str(key)))
		switch key {
		case "name":
			output.Name, _ = entry[key].(string)
		case "type":
		case "value":
			if output.Type == OutputTypeComponent {
				output.Object = r.readComponent(field, output.Name, entry[key])
				continue
			}
			output.Object = r.readObject(field, entry[key])
		case "statusPaths":
			output.StatusPaths = r.readStatusPaths(field, entry[key])
		default:
			r.report(field, fmt.Sprintf("unknown field %s: an output has name, type, value and statusPaths", key))
		}
	}
	r.checkOutput(value, output, entry)
	return output
}

func (r *outputReader) checkOutput(value cue.Value, output Output, entry map[string]any) {
	switch first, taken := r.names[output.Name]; {
	case output.Name == "":
		r.report(value, "an output needs a name, which must be a string")
	case taken:
		r.report(value, fmt.Sprintf("output %q is there already, at %s: names must be unique", output.Name, first))
	case len(validation.IsValidLabelValue(output.Name)) > 0:
		r.report(value, fmt.Sprintf("output name %q must have at most 63 letters, digits, '-', '_' or '.'", output.Name))
	default:
		r.names[output.Name] = formatPosition(value.Pos())
	}
	if _, ok := entry["value"]; !ok {
		r.report(value, "an output needs a value, the Kubernetes object to apply")
	}
}

func (r *outputReader) readType(value cue.Value, entry map[string]any) string {
	switch typ, given := entry["type"]; {
	case !given, typ == OutputTypeResource:
		return OutputTypeResource
	case typ == OutputTypeComponent:
		return OutputTypeComponent
	default:
		r.report(value.LookupPath(cue.ParsePath("type")),
			fmt.Sprintf("output type %v is not known, want %q or %q", typ, OutputTypeResource, OutputTypeComponent))
		return OutputTypeResource
	}
}

// readObject checks what every API server asks of every object, so that the message has a place in the definition.
func (r *outputReader) readObject(field cue.Value, content any) *unstructured.Unstructured {
	fields, ok := content.(map[string]any)
	if !ok {
		r.report(field, "value must be a Kubernetes object")
		return nil
	}
	object := &unstructured.Unstructured{Object: fields}
	before := len(r.problems)
	for _, wrong := range wrongInObject(fields, "apiVersion", "kind") {
		r.report(field, wrong)
	}
	if len(r.problems) > before {
		return object
	}
	if object.GetName() == "" {
		object.SetName(r.context.Name)
	}
	r.noteObject(field, object)
	return object
}

// noteObject finds objects that are rendered twice.
func (r *outputReader) noteObject(field cue.Value, object *unstructured.Unstructured) {
	key := strings.Join([]string{object.GroupVersionKind().GroupKind().String(), object.GetNamespace(), object.GetName()}, " ")
	if first, taken := r.objects[key]; taken {
		r.report(field, fmt.Sprintf("%s %s is rendered already, at %s", object.GetKind(), object.GetName(), first))
	}
	r.objects[key] = formatPosition(field.Pos())
}

func (r *outputReader) readStatusPaths(field cue.Value, content any) []StatusPath {
	items, ok := content.([]any)
	if !ok {
		r.report(field, "statusPaths must be a list of {name, path}")
		return nil
	}
	var paths []StatusPath
	seen := map[string]bool{}
	for _, item := range items {
		entry, _ := item.(map[string]any)
		name, _ := entry["name"].(string)
		path, _ := entry["path"].(string)
		parsed, err := ParseStatusPath(name, path)
		switch {
		case name == "" || path == "":
			r.report(field, "each of statusPaths needs a name and a path, both strings")
		case seen[name]:
			r.report(field, fmt.Sprintf("statusPaths has two entries of the name %q", name))
		case err != nil:
			r.report(field, err.Error())
		}
		seen[name] = true
		paths = append(paths, parsed)
	}
	return paths
}
