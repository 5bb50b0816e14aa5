package render

import (
	"fmt"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// Resume is a rendering that was made before, for the same request. Of the objects it needs no more than their names.
func Resume(request Request, properties []byte, objects []Object) *Rendering {
	return &Rendering{Objects: objects, Properties: properties, request: request}
}

// Warnings are the parameters that definitions accept without knowing them, in words, and outputs that come to nothing.
func (r *Rendering) Warnings() []string {
	warnings := r.request.Component.Unknown(r.Properties)
	for _, trait := range r.request.Traits {
		warnings = append(warnings, trait.Definition.Unknown(trait.Properties)...)
	}
	for _, object := range r.Objects {
		if object.Replaced {
			warnings = append(warnings, fmt.Sprintf("output %s, %s %s, is rendered again by a later output: the last one is applied",
				object.Name, object.Object.GetKind(), object.Object.GetName()))
		}
	}
	return warnings
}

// HasHealth tells whether the component's definition says itself when it is healthy.
func (r *Rendering) HasHealth() bool { return r.request.Component.HasHealth() }

// ReadsOutputs tells whether judging needs context.Outputs.
func (r *Rendering) ReadsOutputs() bool {
	if r.request.Component.ReadsOutputs() {
		return true
	}
	for _, trait := range r.request.Traits {
		if trait.Definition.v1 != nil && trait.Definition.v1.HasHealth() {
			return true
		}
	}
	return false
}

// Judge evaluates health, message and exports over what is live: context.Status and context.Outputs, by output name. A
// component is healthy when its definition says so and those of its traits that have an opinion do; the message is the
// first one that is not.
func (r *Rendering) Judge(context cue.Context) (judgement cue.Judgement, err error) {
	defer cue.Guard(r.request.Type, &err)
	judgement, err = r.judgeComponent(context)
	if err != nil || !judgement.Healthy {
		return judgement, err
	}
	for i, trait := range r.request.Traits {
		if trait.Definition.v1 == nil || !trait.Definition.v1.HasHealth() {
			continue
		}
		judged, err := r.judgeTrait(context, trait)
		if err != nil {
			return cue.Judgement{}, &Error{Trait: trait.place(i), Err: err}
		}
		if !judged.Healthy {
			if judged.Message == "" {
				judged.Message = "not healthy yet"
			}
			return cue.Judgement{Message: trait.place(i) + ": " + judged.Message}, nil
		}
	}
	return judgement, nil
}

func (r *Rendering) judgeComponent(context cue.Context) (cue.Judgement, error) {
	if r.request.Component.v1 != nil {
		context.Outputs = r.liveFrom(context, "")
	}
	return r.request.Component.Judge(context, r.Properties)
}

func (r *Rendering) judgeTrait(context cue.Context, trait AppliedTrait) (cue.Judgement, error) {
	context.Outputs = r.liveFrom(context, trait.Definition.name)
	return trait.Definition.v1.Judge(context, trait.Properties)
}

// liveFrom are the live objects that the component itself or one of its traits rendered, by the name under which it did.
func (r *Rendering) liveFrom(context cue.Context, from string) map[string]map[string]any {
	live := map[string]map[string]any{}
	for _, object := range r.Objects {
		if seen, ok := context.Outputs[object.Name]; ok && object.From == from {
			live[object.Declared] = seen
		}
	}
	return live
}

// TraitJudgement is what one trait says of the objects that it rendered.
type TraitJudgement struct {
	Type string
	cue.Judgement
}

// JudgeTraits asks each trait that has something to say of its objects.
func (r *Rendering) JudgeTraits(context cue.Context) (judgements []TraitJudgement, err error) {
	defer cue.Guard(r.request.Type, &err)
	for i, trait := range r.request.Traits {
		if v1 := trait.Definition.v1; v1 == nil || !v1.HasHealth() && !v1.HasMessage() {
			continue
		}
		judged, err := r.judgeTrait(context, trait)
		if err != nil {
			return nil, &Error{Trait: trait.place(i), Err: err}
		}
		judgements = append(judgements, TraitJudgement{Type: trait.Type, Judgement: judged})
	}
	return judgements, nil
}

// After runs the traits of the phase post, once the component is healthy: context.Status and context.Outputs are live. What
// they add joins no list that was applied before; names must not be taken.
func (r *Rendering) After(context cue.Context) (added []Object, err error) {
	defer cue.Guard(r.request.Type, &err)
	names := map[string]bool{}
	for _, object := range r.Objects {
		names[object.Name] = true
	}
	for i, trait := range r.request.Traits {
		if trait.Definition.phase != definition.PhasePost {
			continue
		}
		seen := r.request
		seen.Context = context
		outputs, err := trait.Definition.kep.EvaluateAfter(seen.traitContext(r.Properties), trait.Properties)
		if err == nil {
			err = checkNames(outputs, names)
		}
		if err != nil {
			return nil, &Error{Trait: trait.place(i), Err: err}
		}
		for _, output := range outputs {
			added = append(added, Object{Output: output, From: trait.Definition.name, Declared: output.Name})
		}
	}
	if err := checkComponents(added); err != nil {
		return nil, err
	}
	return added, markReplaced(r.request, append(append([]Object{}, r.Objects...), added...))
}

// HasAfter tells whether there are traits of the phase post.
func (r *Rendering) HasAfter() bool { return r.request.has(definition.PhasePost) }

func checkNames(outputs []cue.Output, taken map[string]bool) error {
	var problems []cue.Problem
	for _, output := range outputs {
		if taken[output.Name] {
			problems = append(problems, cue.Problem{Path: output.Name, Message: "an output of this name is there already"})
		}
		taken[output.Name] = true
	}
	return cue.NewError(problems)
}
