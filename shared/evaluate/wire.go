package evaluate

import (
	"bytes"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/render"
)

// question is what travels to a worker. Whatever has no fixed shape travels as JSON.
type question struct {
	Operation operation
	Work      work
	Rendered  rendered
}

type work struct {
	Type       string
	Definition definition.Definition
	Properties []byte
	Traits     []Trait
	Context    contextFields
}

type contextFields struct {
	Name, Namespace, AppName, ComponentName string
	Outputs, Status, Values                 []byte
}

// rendered is what judging needs of a rendering: not the objects, but whose they are.
type rendered struct {
	Properties []byte
	Objects    []object
}

// object is a rendered object. Content is its JSON, or empty where only its names matter.
type object struct {
	Name, Type, Declared, From string
	Replaced                   bool
	Content                    []byte
	StatusPaths                []statusPath
}

type statusPath struct{ Name, Path string }

func encodeWork(sent Work) (work, error) {
	encoded := work{Type: sent.Type, Definition: sent.Definition, Properties: sent.Properties, Traits: sent.Traits}
	encoded.Context = contextFields{
		Name: sent.Context.Name, Namespace: sent.Context.Namespace, AppName: sent.Context.AppName, ComponentName: sent.Context.ComponentName,
	}
	var err error
	for _, part := range []struct {
		into  *[]byte
		value any
		there bool
	}{
		{&encoded.Context.Outputs, sent.Context.Outputs, sent.Context.Outputs != nil},
		{&encoded.Context.Status, sent.Context.Status, sent.Context.Status != nil},
		{&encoded.Context.Values, sent.Context.Values, sent.Context.Values != nil},
	} {
		if !part.there {
			continue
		}
		if *part.into, err = json.Marshal(part.value); err != nil {
			return work{}, fmt.Errorf("encoding the context of %s: %w", sent.Context.Name, err)
		}
	}
	return encoded, nil
}

func (c contextFields) decode() (cue.Context, error) {
	decoded := cue.Context{Name: c.Name, Namespace: c.Namespace, AppName: c.AppName, ComponentName: c.ComponentName}
	for _, part := range []struct {
		from []byte
		into any
	}{{c.Outputs, &decoded.Outputs}, {c.Status, &decoded.Status}, {c.Values, &decoded.Values}} {
		if part.from == nil {
			continue
		}
		decoder := json.NewDecoder(bytes.NewReader(part.from))
		decoder.UseNumber()
		if err := decoder.Decode(part.into); err != nil {
			return cue.Context{}, fmt.Errorf("decoding the context of %s: %w", c.Name, err)
		}
	}
	return decoded, nil
}

func renderedOf(rendering *Rendering) rendered {
	kept := rendered{Properties: rendering.Properties}
	for _, one := range rendering.Objects {
		kept.Objects = append(kept.Objects, object{
			Name: one.Name, Declared: one.Declared, From: one.From, Content: identityOf(one.Object),
		})
	}
	return kept
}

// identityOf is what tells an object from others, as an object.
func identityOf(whole *unstructured.Unstructured) []byte {
	identity := &unstructured.Unstructured{}
	identity.SetAPIVersion(whole.GetAPIVersion())
	identity.SetKind(whole.GetKind())
	identity.SetName(whole.GetName())
	identity.SetNamespace(whole.GetNamespace())
	encoded, err := json.Marshal(identity.Object)
	if err != nil { // four strings
		panic(err)
	}
	return encoded
}

func encodeObjects(objects []render.Object) ([]object, error) {
	encoded := make([]object, len(objects))
	for i, one := range objects {
		content, err := json.Marshal(one.Object.Object)
		if err != nil {
			return nil, fmt.Errorf("encoding output %s: %w", one.Name, err)
		}
		encoded[i] = object{
			Name: one.Name, Type: one.Type, Declared: one.Declared, From: one.From, Replaced: one.Replaced, Content: content,
		}
		for _, path := range one.StatusPaths {
			encoded[i].StatusPaths = append(encoded[i].StatusPaths, statusPath{Name: path.Name, Path: path.Path})
		}
	}
	return encoded, nil
}

func decodeObjects(encoded []object) ([]render.Object, error) {
	objects := make([]render.Object, len(encoded))
	for i, one := range encoded {
		content := map[string]any{}
		if err := utiljson.Unmarshal(one.Content, &content); err != nil {
			return nil, fmt.Errorf("decoding output %s: %w", one.Name, err)
		}
		objects[i] = render.Object{Declared: one.Declared, From: one.From, Replaced: one.Replaced, Output: cue.Output{
			Name: one.Name, Type: one.Type, Object: &unstructured.Unstructured{Object: content},
		}}
		for _, path := range one.StatusPaths {
			parsed, err := cue.ParseStatusPath(path.Name, path.Path)
			if err != nil {
				return nil, err
			}
			objects[i].StatusPaths = append(objects[i].StatusPaths, parsed)
		}
	}
	return objects, nil
}
