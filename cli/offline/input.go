package offline

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// readComponent reads a Component. Its properties keep the spelling of their numbers when the file is JSON.
func readComponent(ctx context.Context, file string) (*corev1alpha1.Component, error) {
	content, err := readJSON(ctx, file)
	if err != nil {
		return nil, err
	}
	component := &corev1alpha1.Component{}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(component); err != nil {
		return nil, fmt.Errorf("%s is no Component: %w", file, inWords(err))
	}
	if component.Kind != "Component" || component.GroupVersionKind().Group != corev1alpha1.GroupVersion.Group {
		return nil, fmt.Errorf("%s holds a %s of %s, want a Component of %s", file, orNothing(component.Kind), orNothing(component.APIVersion), corev1alpha1.GroupVersion)
	}
	if component.Name == "" {
		return nil, fmt.Errorf("the Component in %s has no metadata.name", file)
	}
	if component.Namespace == "" {
		component.Namespace = "default"
	}
	return component, nil
}

// readMap reads a map; an empty file name is an empty map.
func readMap(ctx context.Context, file string) (map[string]any, error) {
	if file == "" {
		return nil, nil
	}
	content, err := readJSON(ctx, file)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(&values); err != nil {
		return nil, fmt.Errorf("%s must hold a map: %w", file, inWords(err))
	}
	return values, nil
}

// readJSON reads YAML or JSON as JSON. JSON stays as it is written.
func readJSON(ctx context.Context, file string) ([]byte, error) {
	content, err := readInput(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	if json.Valid(content) {
		return content, nil
	}
	converted, err := toJSON(content)
	if err != nil {
		return nil, fmt.Errorf("%s is neither YAML nor JSON: %w", file, err)
	}
	return converted, nil
}

// maxInput bounds a file that a person hands in, in bytes.
const maxInput = 16 << 20

// readInput reads a file, which may be a pipe: one that nobody writes to is read until ctx ends.
func readInput(ctx context.Context, name string) ([]byte, error) {
	type content struct {
		bytes []byte
		err   error
	}
	read := make(chan content, 1)
	go func() {
		file, err := os.Open(name)
		if err != nil {
			read <- content{err: err}
			return
		}
		defer file.Close()
		bytes, err := io.ReadAll(io.LimitReader(file, maxInput+1))
		if len(bytes) > maxInput {
			err = fmt.Errorf("it has more than the %d bytes that are allowed", maxInput)
		}
		read <- content{bytes: bytes, err: err}
	}()
	select {
	case got := <-read:
		return got.bytes, got.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// inWords says of JSON that does not fit what it should be, without the names that a program has for it.
func inWords(err error) error {
	wrong := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	wanted := map[reflect.Kind]string{
		reflect.String: "a text", reflect.Bool: "true or false", reflect.Map: "a map", reflect.Struct: "a map",
		reflect.Slice: "a list", reflect.Int64: "a number", reflect.Int: "a number",
	}[wrong.Type.Kind()]
	if wanted == "" {
		wanted = "something else"
	}
	given := map[string]string{"object": "a map", "array": "a list", "string": "a text", "bool": "true or false"}[strings.Fields(wrong.Value)[0]]
	if given == "" {
		given = "a " + strings.Fields(wrong.Value)[0]
	}
	if wrong.Field == "" {
		return fmt.Errorf("it is %s, want %s", given, wanted)
	}
	return fmt.Errorf("%s is %s, want %s", wrong.Field, given, wanted)
}

// toJSON reads YAML. What the library says of a key that JSON does not have is broken.
func toJSON(content []byte) ([]byte, error) {
	if several(content) {
		return nil, errors.New("it holds more than one document: keep one in a file")
	}
	converted, err := yaml.YAMLToJSONStrict(content)
	if err != nil && strings.Contains(err.Error(), "unsupported map key") {
		return nil, errors.New("it has a key that is no text, such as null or a list: put it in quotes")
	}
	return converted, err
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// several tells whether YAML holds more than one document that says anything.
func several(content []byte) bool {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	documents := 0
	for {
		document, err := reader.Read()
		if err != nil {
			return documents > 1
		}
		if value := any(nil); yaml.Unmarshal(document, &value) != nil || value != nil {
			documents++
		}
	}
}
