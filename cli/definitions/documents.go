package definitions

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// document is one object of the input.
type document struct {
	// number of the YAML document, from 1.
	number int
	object map[string]any
	// err is set where there is no object.
	err error
}

// readDocuments reads the objects in a stream of YAML documents, or of one of JSON; lists are taken apart. A document that
// cannot be read does not keep the others from being read.
func readDocuments(input io.Reader) ([]document, error) {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(input))
	var documents []document
	for number := 1; ; number++ {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading document %d: %w", number, err)
		}
		if len(bytes.TrimSpace(text)) > 0 {
			documents = append(documents, readDocument(number, text)...)
		}
	}
}

func readDocument(number int, text []byte) []document {
	one := document{number: number}
	content, err := yaml.YAMLToJSON(text)
	if err != nil {
		one.err = fmt.Errorf("document %d is no YAML: %w", number, err)
		return []document{one}
	}
	var value any
	if err := json.Unmarshal(content, &value); err != nil {
		one.err = fmt.Errorf("document %d cannot be read: %w", number, err)
		return []document{one}
	}
	if value == nil { // comments alone
		return nil
	}
	fields, ok := value.(map[string]any)
	if !ok {
		one.err = fmt.Errorf("document %d is no object", number)
		return []document{one}
	}
	one.object = fields
	items, isList := fields["items"].([]any)
	if kind, _, _ := unstructured.NestedString(fields, "kind"); !isList || !strings.HasSuffix(kind, "List") {
		return []document{one}
	}
	var all []document
	for i, item := range items {
		entry := document{number: number}
		if entry.object, ok = item.(map[string]any); !ok {
			entry.err = fmt.Errorf("document %d: items[%d] is no object", number, i)
		}
		all = append(all, entry)
	}
	return all
}
