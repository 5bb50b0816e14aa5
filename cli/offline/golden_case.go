package offline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/definition"
)

// goldenCase is one file of a definition's tests: what is rendered, and what is expected of it.
type goldenCase struct {
	// Type of the component; a component's own cases need none.
	Type       string                        `json:"type,omitempty"`
	Properties *runtime.RawExtension         `json:"properties,omitempty"`
	Traits     []corev1alpha1.ComponentTrait `json:"traits,omitempty"`
	// Context is laid over the context, as the file of wheel render --context is.
	Context map[string]any `json:"context,omitempty"`
	// Status is what is live by output name: objects, or their status alone, as the file of wheel render --status has it.
	Status map[string]any `json:"status,omitempty"`
	Expect expectation    `json:"expect,omitempty"`
}

// expectation is what a case is held against. What it leaves out may be anything.
type expectation struct {
	// Outputs are all objects in their order.
	Outputs []any `json:"outputs,omitempty"`
	// Waiting are the outputs that wait for what is live of others, as wheel render warns of them.
	Waiting []string `json:"waiting,omitempty"`
	// Error is a part of the message with which the rendering, or its status, is refused.
	Error   string         `json:"error,omitempty"`
	Healthy *bool          `json:"healthy,omitempty"`
	Message *string        `json:"message,omitempty"`
	Exports map[string]any `json:"exports,omitempty"`
}

func (e expectation) isEmpty() bool {
	return e.Outputs == nil && e.Waiting == nil && e.Error == "" && !e.wantsStatus()
}

func (e expectation) wantsStatus() bool {
	return e.Healthy != nil || e.Message != nil || e.Exports != nil
}

// caseFiles lists the cases of a definition: in tests within its folder, or in <file>.tests beside its file.
func (l library) caseFiles(of place) ([]string, error) {
	folder := path.Join(of.at, "tests")
	if file, ok := strings.CutSuffix(of.at, ".cue"); ok {
		folder = file + testsSuffix
	}
	var files []string
	for _, pattern := range []string{"*.yaml", "*.yml"} {
		names, err := fs.Glob(l.files, folder+"/"+pattern)
		if err != nil {
			return nil, fmt.Errorf("looking for the cases of %s: %w", of.at, err)
		}
		files = append(files, names...)
	}
	return files, nil
}

// readCase reads a case of a definition. The error says what a case has.
func (l library) readCase(file string, of place) (*goldenCase, error) {
	content, err := definition.ReadFile(l.files, file)
	if err != nil {
		return nil, fmt.Errorf("reading the case: %w", err)
	}
	converted, err := toJSON(content)
	if err != nil {
		return nil, fmt.Errorf("the case is no YAML: %w", err)
	}
	read := &goldenCase{}
	decoder := json.NewDecoder(bytes.NewReader(converted))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	if err := decoder.Decode(read); err != nil {
		return nil, fmt.Errorf("the case cannot be read: %w; it has properties, traits, context, status and expect: {outputs, waiting, error, healthy, message, exports}", inWords(err))
	}
	if read.Type == "" && of.kind == kindComponent {
		read.Type = of.name
	}
	if read.Type == "" {
		return nil, fmt.Errorf("the case has no type: the case of a trait says which type of component the trait is on, and lists it under traits")
	}
	return read, nil
}

// component is the Component that a case describes. Its name may be in the context.
func (c *goldenCase) component() *corev1alpha1.Component {
	named := func(key, otherwise string) string {
		if text, ok := c.Context[key].(string); ok {
			return text
		}
		return otherwise
	}
	component := &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Name: named("name", "example"), Namespace: named("namespace", "default")}}
	component.Spec.Type, component.Spec.Properties, component.Spec.Traits = c.Type, c.Properties, c.Traits
	return component
}
