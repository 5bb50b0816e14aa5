package offline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/yaml"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// readComponent reads a Component. Its properties keep the spelling of their numbers when the file is JSON.
func readComponent(file string) (*corev1alpha1.Component, error) {
	content, err := readJSON(file)
	if err != nil {
		return nil, err
	}
	component := &corev1alpha1.Component{}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(component); err != nil {
		return nil, fmt.Errorf("%s is no Component: %w", file, err)
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
func readMap(file string) (map[string]any, error) {
	if file == "" {
		return nil, nil
	}
	content, err := readJSON(file)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(&values); err != nil {
		return nil, fmt.Errorf("%s must hold a map: %w", file, err)
	}
	return values, nil
}

// readJSON reads YAML or JSON as JSON. JSON stays as it is written.
func readJSON(file string) ([]byte, error) {
	content, err := os.ReadFile(file)
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

// toJSON reads YAML. What the library says of a key that JSON does not have is broken.
func toJSON(content []byte) ([]byte, error) {
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
