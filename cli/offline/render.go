package offline

import (
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/render"
)

// Options of a rendering.
type Options struct {
	// Component is the file of the Component.
	Component string
	// Definitions is the folder of definitions.
	Definitions string
	// Context is a file with values for the context; empty for none.
	Context string
}

// Result is what a component renders to.
type Result struct {
	*render.Rendering
	// Warnings are what an author should know though it is no error.
	Warnings []string

	request render.Request
}

// Render renders a Component from files alone.
func Render(options Options) (*Result, error) {
	component, err := readComponent(options.Component)
	if err != nil {
		return nil, err
	}
	values, err := readMap(options.Context)
	if err != nil {
		return nil, err
	}
	folder, err := os.OpenRoot(options.Definitions)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of definitions: %w", err)
	}
	defer folder.Close()
	request, err := newRequest(library{files: folder.FS()}, component, values)
	if err != nil {
		return nil, err
	}
	if err := resolveDirectives(&request); err != nil {
		return nil, err
	}
	// What is rendered sees no status: on a spoke there is none yet.
	seen := request
	seen.Context = request.Context.Without("status")
	rendering, err := render.Render(seen)
	if err != nil {
		return nil, err
	}
	return &Result{Rendering: rendering, Warnings: warningsOf(request, rendering), request: request}, nil
}

func newRequest(definitions library, component *corev1alpha1.Component, values map[string]any) (render.Request, error) {
	compiler := render.NewCompiler(cue.Options{})
	def, err := definitions.component(component.Spec.Type)
	if err != nil {
		return render.Request{}, err
	}
	compiled, err := compiler.Component(def)
	if err != nil {
		return render.Request{}, fmt.Errorf("component definition %s: %w", component.Spec.Type, err)
	}
	request := render.Request{
		Type: component.Spec.Type, Component: compiled, Properties: raw(component.Spec.Properties), Context: contextOf(component, values),
	}
	for i, trait := range component.Spec.Traits {
		def, err := definitions.trait(trait.Type)
		if err != nil {
			return render.Request{}, fmt.Errorf("traits[%d]: %w", i, err)
		}
		compiled, err := compiler.Trait(def)
		if err != nil {
			return render.Request{}, fmt.Errorf("trait definition %s: %w", trait.Type, err)
		}
		request.Traits = append(request.Traits, render.AppliedTrait{Type: trait.Type, Definition: compiled, Properties: raw(trait.Properties)})
	}
	return request, nil
}

// contextOf is what the agent would put into the context, and the values from the file over it.
func contextOf(component *corev1alpha1.Component, values map[string]any) cue.Context {
	context := cue.Context{Name: component.Name, Namespace: component.Namespace}
	return context.With(values)
}

func warningsOf(request render.Request, rendering *render.Rendering) []string {
	warnings := request.Component.Unknown(rendering.Properties)
	for _, trait := range request.Traits {
		warnings = append(warnings, trait.Definition.Unknown(trait.Properties)...)
	}
	for _, object := range rendering.Objects {
		if object.Replaced {
			warnings = append(warnings, fmt.Sprintf("output %s, %s %s, is rendered again by a later output: the last one is applied",
				object.Name, object.Object.GetKind(), object.Object.GetName()))
		}
	}
	return warnings
}

func raw(extension *runtime.RawExtension) []byte {
	if extension == nil {
		return nil
	}
	return extension.Raw
}
