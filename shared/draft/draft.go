// Package draft holds what a component renders to while traits are being applied to it: objects that are still CUE values,
// so that a default in one can be overridden by a trait, until the draft is finished.
package draft

import (
	"encoding/json"
	"fmt"
	"strings"

	"cuelang.org/go/cue"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	problems "wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/patch"
)

// Draft is the objects in their order. The first one is the main object, which is what patches of KubeVela v1 go to. A
// Draft belongs to one goroutine.
type Draft struct {
	Parts []Part

	held []func()
}

// Hold has release called when the Draft is closed: the values of its parts need what is held until then.
func (d *Draft) Hold(release func()) { d.held = append(d.held, release) }

// Close lets go of what is held. The values of the parts are of no more use.
func (d *Draft) Close() {
	for _, release := range d.held {
		release()
	}
	d.held = nil
}

// Part is an object of a Draft.
type Part struct {
	// Name under which it was declared. Two parts from traits of KubeVela v1 may have one name.
	Name string
	// Type of the output; empty for a resource.
	Type string
	// From is the type of the trait that rendered it, or "" for the component's own.
	From string
	// Object is what it is so far. Every part has a CUE context of its own or shares one with others of the same Draft.
	Object patch.Object
	// StatusPaths are those of the output.
	StatusPaths []problems.StatusPath

	// seen is the object in JSON, once someone looked.
	seen json.RawMessage
}

// Merge merges a patch into the object, as patch.Object does.
func (p *Part) Merge(with cue.Value) error {
	p.seen = nil
	return p.Object.Merge(with)
}

// MergeStrategic merges a patch into the object, as patch.Object does.
func (p *Part) MergeStrategic(with cue.Value) error {
	p.seen = nil
	return p.Object.MergeStrategic(with)
}

// Object is a finished object of a Draft.
type Object struct {
	Name        string
	Type        string
	From        string
	StatusPaths []problems.StatusPath
	// Content is complete but for its name and namespace, which it may lack.
	Content *unstructured.Unstructured
}

// Finish decides the defaults and gives the objects in their order. The error is a *cue.Error that names everything that is
// not concrete.
func (d *Draft) Finish() ([]Object, error) {
	var objects []Object
	var found []problems.Problem
	for i, part := range d.Parts {
		content, wrong := finish(part.Object)
		for _, problem := range wrong {
			found = append(found, d.within(i, problem))
		}
		objects = append(objects, Object{Name: part.Name, Type: part.Type, From: part.From, StatusPaths: part.StatusPaths, Content: content})
	}
	if err := problems.NewError(found); err != nil {
		return nil, err
	}
	return objects, nil
}

// Check finds whether a trait can be shown the draft as it is so far. The error is a *cue.Error that names what is not concrete.
func (d *Draft) Check() error {
	for i := range d.Parts {
		if d.Parts[i].Object.IsPlain() {
			continue
		}
		if _, err := d.Seen(i); err != nil {
			return err
		}
	}
	return nil
}

// Seen is an object of the draft as it is so far, in JSON. The error is a *cue.Error when it is not concrete.
func (d *Draft) Seen(index int) (json.RawMessage, error) {
	part := &d.Parts[index]
	if part.seen != nil {
		return part.seen, nil
	}
	encoded, err := encode(&part.Object)
	if err == nil {
		part.seen = encoded
		return encoded, nil
	}
	value := part.Object.Value()
	found := problems.ProblemsIn(value)
	if len(found) == 0 {
		found = []problems.Problem{problems.ProblemAt(value, fmt.Sprintf("the object cannot be shown to a trait: %v", err))}
	}
	for i := range found {
		found[i] = d.within(index, found[i])
	}
	return nil, problems.NewError(found)
}

func encode(object *patch.Object) (json.RawMessage, error) {
	if plain, ok := object.Plain(); ok {
		return json.Marshal(plain)
	}
	return object.Value().MarshalJSON()
}

// within names the object that a problem lies in, where a patch made it a value with a path of its own.
func (d *Draft) within(index int, problem problems.Problem) problems.Problem {
	if strings.HasPrefix(problem.Position, "-:") { // a place in what a JSON patch made
		problem.Position = d.Parts[index].From
	}
	if problem.Position == "" && problem.Path == "" {
		problem.Path = d.Parts[index].Name
	}
	return problem
}

func finish(object patch.Object) (*unstructured.Unstructured, []problems.Problem) {
	if plain, ok := object.Plain(); ok {
		if content, ok := problems.PlainObject(plain); ok {
			return &unstructured.Unstructured{Object: content}, nil
		}
	}
	value := object.Value()
	if found := problems.ProblemsIn(value); len(found) > 0 {
		return nil, found
	}
	if err := value.Validate(cue.Concrete(true), cue.Final()); err != nil {
		return nil, problems.ProblemsOf(err)
	}
	content, found := problems.DecodeObject(value)
	if len(found) > 0 {
		return nil, found
	}
	return &unstructured.Unstructured{Object: content}, nil
}
