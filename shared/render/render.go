// Package render turns a component, its definition and its traits into objects: pre traits, the definition, default traits,
// in this order, whatever shape each of them has. It is pure; the agent, the hub and the command line share it.
package render

import (
	"encoding/json"
	"fmt"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/draft"
	"wheelwright.dev/wheelwright/shared/patch"
)

// Request is what to render.
type Request struct {
	// Type of the component, as the user wrote it.
	Type      string
	Component *Component
	// Properties are JSON, or nil where the user gave none. They must be free of from* directives.
	Properties []byte
	// Traits in the order in which they take effect within their phase.
	Traits  []AppliedTrait
	Context cue.Context
}

// Rendering is what a component renders to.
type Rendering struct {
	// Objects in the order in which they were rendered. Each has a name; no two outputs have one.
	Objects []Object
	// Properties are the component's after its pre traits.
	Properties []byte
	// Dispatcher is what a pre trait put in the place of the component's dispatcher, as JSON; nil when none did.
	Dispatcher []byte
	// Pending are the component's outputs that wait for the live objects of others. They are not among the Objects.
	Pending []Pending
	// Reads tells which outputs' live objects the rendering depends on.
	Reads Reads

	request Request
	// mainWaits is set where the component's first output is Pending.
	mainWaits bool
}

// Pending is an output that waits.
type Pending struct {
	Name  string
	Waits []cue.Reference
}

// Reads are outputs whose live objects other outputs read.
type Reads struct {
	Names []string
	// All is set where it may be any output's.
	All bool
}

// Has tells whether the live object of an output is read.
func (r Reads) Has(name string) bool { return r.All || slices.Contains(r.Names, name) }

// None tells whether the rendering is the same whatever is live.
func (r Reads) None() bool { return !r.All && len(r.Names) == 0 }

// Object is one object of a Rendering.
type Object struct {
	cue.Output
	// Declared is the name under which the definition declared it, which need not be unique. Name is.
	Declared string
	// From is the type of the trait that rendered it, or "" for the component's own.
	From string
	// Replaced is set where a later output is the same object. KubeVela applies both, so that the later one counts.
	Replaced bool
}

// Error says which trait a *cue.Error is about.
type Error struct {
	// Trait is the place in the component's list and the type, as traits[1] gateway.
	Trait string
	Err   error
}

// Error is the problems with the trait's place before them.
func (e *Error) Error() string { return e.Trait + ": " + e.Err.Error() }

// Unwrap gives the *cue.Error.
func (e *Error) Unwrap() error { return e.Err }

// Prepared is a request whose properties are final and known to be sound.
type Prepared struct {
	request    Request
	dispatcher []byte
}

// Prepare runs the pre traits and checks the properties of the component and its traits, all at once. The error is or
// wraps a *cue.Error unless something is wrong with the program itself.
func Prepare(request Request) (prepared *Prepared, err error) {
	defer cue.Guard(request.Type, &err)
	found := []error{checkTraits(request)}
	kep := request.Component.kep
	if kep != nil && !request.has(definition.PhasePre) {
		found = append(found, kep.CheckParameters(request.Properties))
	}
	if err := joined(found...); err != nil {
		return nil, err
	}
	if prepared, err = before(request); err != nil {
		return nil, err
	}
	if kep != nil && request.has(definition.PhasePre) {
		return prepared, kep.CheckParameters(prepared.request.Properties)
	}
	return prepared, nil
}

// Properties are the component's after its pre traits.
func (p *Prepared) Properties() []byte { return p.request.Properties }

// Check finds what Prepare would find wrong on any cluster, without the context that only a spoke has: what the pre traits
// make of the properties is not known then, and not checked. The error is or wraps a *cue.Error.
func Check(request Request) (err error) {
	defer cue.Guard(request.Type, &err)
	found := []error{checkTraits(request)}
	for i, trait := range request.Traits {
		if v1 := trait.Definition.v1; v1 != nil {
			found = append(found, atTrait(trait.place(i), v1.CheckParameters(trait.Properties)))
		}
	}
	if !request.has(definition.PhasePre) {
		found = append(found, request.Component.CheckParameters(request.Properties))
	}
	return joined(found...)
}

// Render renders a request: Prepare, and then what it prepared.
func Render(request Request) (*Rendering, error) {
	prepared, err := Prepare(request)
	if err != nil {
		return nil, err
	}
	return prepared.Render()
}

// Render renders. Nothing is rendered in part, but for outputs that are Pending: the first trait that fails ends it. The
// error is or wraps a *cue.Error unless something is wrong with the program itself.
func (p *Prepared) Render() (rendering *Rendering, err error) {
	request := p.request
	defer cue.Guard(request.Type, &err)
	rendering = &Rendering{Properties: request.Properties, Dispatcher: p.dispatcher, request: request}
	if kep := request.Component.kep; kep != nil {
		rendering.Reads.Names, rendering.Reads.All = kep.Reads()
	}
	if request.Component.kep != nil && !request.has(definition.PhaseDefault) {
		return rendering, renderPlain(request, rendering)
	}
	drafted, err := start(request, rendering)
	if err != nil {
		return nil, err
	}
	defer drafted.Close()
	if err := during(request, drafted, rendering); err != nil {
		return nil, err
	}
	if err := finish(request, drafted, rendering); err != nil {
		return nil, request.withMissing(err)
	}
	return rendering, checkComponents(rendering.Objects)
}

// checkTraits finds traits that are not for this type of component, and such whose own properties are wrong.
func checkTraits(request Request) error {
	var problems []cue.Problem
	var found []error
	for i, trait := range request.Traits {
		if !trait.Definition.appliesToType(request.Type) {
			problems = append(problems, cue.Problem{Message: fmt.Sprintf("%s does not apply to components of type %s: it is for %s",
				trait.place(i), request.Type, appliesToText(trait.Definition.appliesTo))})
		}
		if trait.Definition.kep == nil {
			continue // one of KubeVela's shape is checked while it is evaluated
		}
		found = append(found, atTrait(trait.place(i), trait.Definition.kep.CheckParameters(trait.Properties)))
	}
	return joined(append(found, cue.NewError(problems))...)
}

// renderPlain renders a component of the KEP's shape that no trait patches.
func renderPlain(request Request, rendering *Rendering) error {
	outputs, err := request.Component.kep.Render(request.Context, request.Properties)
	if err != nil {
		return err
	}
	for _, output := range outputs {
		if len(output.Waits) > 0 {
			rendering.Pending = append(rendering.Pending, Pending{Name: output.Name, Waits: output.Waits})
			continue
		}
		rendering.Objects = append(rendering.Objects, Object{Output: output, Declared: output.Name})
	}
	return checkComponents(rendering.Objects)
}

// start renders the component itself.
func start(request Request, rendering *Rendering) (*draft.Draft, error) {
	if request.Component.v1 != nil {
		return request.Component.v1.Component(request.v1Context(request.Context), request.Properties)
	}
	outputs, err := request.Component.kep.RenderOpen(request.Context, request.Properties)
	if err != nil {
		return nil, err
	}
	var parts []cue.OpenOutput
	for i, output := range outputs {
		if len(output.Waits) > 0 {
			rendering.mainWaits = rendering.mainWaits || i == 0
			rendering.Pending = append(rendering.Pending, Pending{Name: output.Name, Waits: output.Waits})
			continue
		}
		parts = append(parts, output)
	}
	return &draft.Draft{Parts: open(parts, "")}, nil
}

func open(outputs []cue.OpenOutput, from string) []draft.Part {
	var parts []draft.Part
	for _, output := range outputs {
		object := patch.NewObject(output.Value)
		if output.Evaluated {
			object = patch.NewEvaluatedObject(output.Value)
		}
		parts = append(parts, draft.Part{Name: output.Name, Type: output.Type, From: from, Object: object, StatusPaths: output.StatusPaths})
	}
	return parts
}

// before runs the pre traits, each over the properties as the one before left them.
func before(request Request) (*Prepared, error) {
	prepared := &Prepared{request: request}
	for i, trait := range request.Traits {
		if trait.Definition.phase != definition.PhasePre {
			continue
		}
		properties := prepared.request.Properties
		asked, err := trait.Definition.kep.EvaluateBefore(request.traitContext(properties), trait.Properties)
		if err != nil {
			return nil, &Error{Trait: trait.place(i), Err: err}
		}
		if asked.Properties != nil {
			merged, err := jsonpatch.MergePatch(orEmpty(properties), asked.Properties)
			if err != nil {
				return nil, fmt.Errorf("laying the properties of %s over the component's: %w", trait.place(i), err)
			}
			prepared.request.Properties = merged
		}
		if asked.Dispatcher != nil {
			prepared.dispatcher = asked.Dispatcher
		}
	}
	return prepared, nil
}

func (r Request) has(phase definition.Phase) bool {
	for _, trait := range r.Traits {
		if trait.Definition.phase == phase {
			return true
		}
	}
	return false
}

// traitContext is the component's context as a trait sees it, with the component's parameters in it.
func (r Request) traitContext(properties []byte) cue.Context {
	return r.Context.With(map[string]any{"componentType": r.Type, "parameters": json.RawMessage(orEmpty(properties))})
}

// v1Context is context with the components of KubeVela's Application, of which a spoke knows this one.
func (r Request) v1Context(context cue.Context) cue.Context {
	if _, ok := context.Values["components"]; ok {
		return context
	}
	shown := map[string]any{"name": context.Name, "type": r.Type}
	if r.Properties != nil {
		shown["properties"] = json.RawMessage(r.Properties)
	}
	return context.With(map[string]any{"components": []any{shown}})
}

func orEmpty(properties []byte) []byte {
	if len(properties) == 0 || string(properties) == "null" {
		return []byte("{}")
	}
	return properties
}
