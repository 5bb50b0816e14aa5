package offline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/evaluate"
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
	*evaluate.Rendering

	bench *Workbench
	work  evaluate.Work
}

// Render renders a Component from files alone.
func (b *Workbench) Render(ctx context.Context, options Options) (*Result, error) {
	component, err := readComponent(ctx, options.Component)
	if err != nil {
		return nil, err
	}
	values, err := readMap(ctx, options.Context)
	if err != nil {
		return nil, err
	}
	definitions, done, err := openLibrary(options.Definitions)
	if err != nil {
		return nil, err
	}
	defer done()
	work, err := newWork(definitions, component, values)
	if err != nil {
		return nil, err
	}
	return b.render(ctx, work)
}

// maxPasses bounds the length of a chain of outputs of which each reads the one before.
const maxPasses = 16

// render renders a work whose directives are resolved. What is rendered sees no status, since on a spoke there is none yet; but for
// outputs that read what is live of others, for which the context stands in as far as it goes.
func (b *Workbench) render(ctx context.Context, work evaluate.Work) (*Result, error) {
	seen := work
	seen.Context = work.Context.Without("status")
	rendering, err := b.evaluator.Render(ctx, seen)
	if err != nil {
		return nil, explain(err)
	}
	result := &Result{Rendering: rendering, bench: b, work: work}
	return result, result.renderLive(ctx)
}

// renderLive renders again over what the context has of outputs that others read, for as long as that makes more of them.
func (r *Result) renderLive(ctx context.Context) error {
	live, err := r.live(ctx, "")
	if err != nil || r.Reads.None() || len(live) == 0 {
		return err
	}
	for range maxPasses {
		work := r.work
		if work.Context, err = r.judgedContext(live); err != nil {
			return err
		}
		before := len(r.Objects)
		if r.Rendering, err = r.bench.evaluator.Render(ctx, work); err != nil {
			return explain(err)
		}
		if len(r.Objects) == before {
			return nil
		}
	}
	return nil
}

// Waiting says which outputs wait for what is live of others, one in a line.
func (r *Result) Waiting() []string {
	var lines []string
	for _, output := range r.Pending {
		for _, reference := range output.Waits {
			lines = append(lines, "output "+output.Name+" waits for "+reference.Path)
		}
	}
	return lines
}

// explain says of a broken definition what it defines, as the folder has it.
func explain(err error) error {
	var lines []error
	for _, broken := range evaluate.DefinitionErrors(err) {
		kind := kindComponent
		if broken.Kind == "TraitDefinition" {
			kind = kindTrait
		}
		lines = append(lines, fmt.Errorf("%s definition %s: %w", kind, broken.Name, broken.Err))
	}
	if len(lines) == 0 {
		return err
	}
	return errors.Join(lines...)
}

func newWork(definitions library, component *corev1alpha1.Component, values map[string]any) (evaluate.Work, error) {
	def, err := definitions.component(component.Spec.Type)
	if err != nil {
		return evaluate.Work{}, err
	}
	work := evaluate.Work{
		Type: component.Spec.Type, Definition: def, Properties: raw(component.Spec.Properties), Context: contextOf(component, values),
	}
	for i, trait := range component.Spec.Traits {
		def, err := definitions.trait(trait.Type)
		if err != nil {
			return evaluate.Work{}, fmt.Errorf("traits[%d]: %w", i, err)
		}
		work.Traits = append(work.Traits, evaluate.Trait{Type: trait.Type, Definition: def, Properties: raw(trait.Properties)})
	}
	if err := resolveDirectives(&work); err != nil {
		return evaluate.Work{}, err
	}
	work.Context = work.Context.With(createEvent(work)).With(work.Context.Values)
	return work, nil
}

// contextOf is what the agent would put into the context, and the values from the file over it.
func contextOf(component *corev1alpha1.Component, values map[string]any) cue.Context {
	context := cue.Context{Name: component.Name, Namespace: component.Namespace}
	return context.With(values)
}

// createEvent is the context of the event in which a Component is made for the first time.
func createEvent(work evaluate.Work) map[string]any {
	params := json.RawMessage("{}")
	if len(work.Properties) > 0 {
		params = work.Properties
	}
	return map[string]any{
		"event": "create", "paramsChanged": false, "definitionChanged": false, "traitsChanged": false,
		"params": map[string]any{"current": params, "target": params}, "previousParams": params,
		"apiVersion": map[string]any{"current": work.Definition.APIVersion, "target": work.Definition.APIVersion},
		"workflow":   map[string]any{},
	}
}

func raw(extension *runtime.RawExtension) []byte {
	if extension == nil {
		return nil
	}
	return extension.Raw
}
