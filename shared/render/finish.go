package render

import (
	"cmp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/draft"
)

// maxLabel is how long a name may be that outputs of KubeVela's shape get, before it is shortened.
const maxLabel = 40

// finish decides the draft's defaults and names what has no name of its own.
func finish(request Request, drafted *draft.Draft, rendering *Rendering) error {
	objects, err := drafted.Finish()
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for i, object := range objects {
		if object.Content.GetName() == "" {
			object.Content.SetName(objectName(request, i, object.Name))
		}
		output := cue.Output{
			Name: outputName(object.Name, names), Type: cmp.Or(object.Type, cue.OutputTypeResource), Object: object.Content, StatusPaths: object.StatusPaths,
		}
		rendering.Objects = append(rendering.Objects, Object{Output: output, Declared: object.Name, From: object.From})
	}
	return markReplaced(request, rendering.Objects)
}

// checkComponents refuses Components among the objects that say of themselves what only the hub may say.
func checkComponents(objects []Object) error {
	var problems []cue.Problem
	for _, object := range objects {
		if !cue.IsComponent(object.Object) {
			continue
		}
		if err := cue.CheckComponent(object.Object); err != nil {
			problems = append(problems, cue.Problem{Path: object.Name, Message: err.Error()})
		}
	}
	return cue.NewError(problems)
}

// objectName is the component's name for its main object and for all of the KEP's shape; what else a definition of
// KubeVela's shape leaves unnamed is told apart by its output's name.
func objectName(request Request, index int, output string) string {
	if index == 0 || request.Component.kep != nil {
		return request.Context.Name
	}
	return request.Context.Name + "-" + cue.Label(output, maxLabel)
}

// outputName is name, made valid and unique: outputs of KubeVela's shape may be called anything, and two traits may use one
// name.
func outputName(name string, taken map[string]bool) string {
	valid := name
	if len(validation.IsValidLabelValue(name)) > 0 || name == "" {
		valid = cue.Label(name, maxLabel)
	}
	unique := valid
	for n := 2; taken[unique]; n++ {
		unique = valid + "-" + strconv.Itoa(n)
	}
	taken[unique] = true
	return unique
}

// markReplaced finds objects that are rendered more than once. Only what KubeVela's own definitions do is passed over:
// there the last one counts.
func markReplaced(request Request, objects []Object) error {
	last := map[string]int{}
	var problems []cue.Problem
	for i, object := range objects {
		key := identity(object.Object)
		if before, ok := last[key]; ok {
			objects[before].Replaced = true
			if !allows(request, objects[before].From, object.From) {
				problems = append(problems, cue.Problem{Path: object.Name, Message: object.Object.GetKind() + " " +
					object.Object.GetName() + " is rendered already, by " + origin(objects[before].From) + " as output " + strconv.Quote(objects[before].Name)})
			}
		}
		last[key] = i
	}
	return cue.NewError(problems)
}

// allows tells whether an object may be rendered by both: when one of them is written in KubeVela's shape.
func allows(request Request, first, second string) bool {
	return writtenInV1(request, first) || writtenInV1(request, second)
}

func writtenInV1(request Request, from string) bool {
	if from == "" {
		return request.Component.v1 != nil
	}
	for _, trait := range request.Traits {
		if trait.Definition.name == from {
			return trait.Definition.v1 != nil
		}
	}
	return false
}

func identity(object *unstructured.Unstructured) string {
	return strings.Join([]string{object.GroupVersionKind().GroupKind().String(), object.GetNamespace(), object.GetName()}, " ")
}
