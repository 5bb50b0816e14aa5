package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/vela"
)

// Trait is a compiled trait definition, of one shape or the other.
type Trait struct {
	name      string
	phase     definition.Phase
	appliesTo []string
	kep       *cue.Trait
	v1        *vela.Template
}

// Phase is when the trait has its effect. One of KubeVela's shape is always of the default phase.
func (t *Trait) Phase() definition.Phase { return t.phase }

// CheckParameters checks the trait's own properties, as Component.CheckParameters does.
func (t *Trait) CheckParameters(properties []byte) (err error) {
	defer cue.Guard(t.name, &err)
	if t.kep != nil {
		return t.kep.CheckParameters(properties)
	}
	return t.v1.CheckParameters(properties)
}

// appliesToType tells whether the trait is for components of a type. What KubeVela's definitions say of workloads is not
// looked at, as KubeVela's own engine does not look at it.
func (t *Trait) appliesToType(component string) bool {
	reference, err := definition.ParseReference(component)
	if err != nil {
		reference.Name = component
	}
	return len(t.appliesTo) == 0 || slices.ContainsFunc(t.appliesTo, func(name string) bool {
		return name == "*" || name == component || name == reference.Name
	})
}

func (c *Compiler) kepTrait(def definition.Trait) (*Trait, error) {
	compiled, err := c.kep.CompileTrait(def.Definition)
	if err != nil {
		return nil, err
	}
	trait := &Trait{name: def.Name, phase: def.Phase, appliesTo: def.AppliesTo, kep: compiled}
	if trait.phase == "" {
		trait.phase = compiled.Phase()
	}
	if trait.phase == "" {
		trait.phase = definition.PhaseDefault
	}
	if len(trait.appliesTo) == 0 {
		trait.appliesTo = compiled.AppliesTo()
	}
	return trait, nil
}

// v1Trait is a trait of KubeVela's shape, which knows no phases.
func v1Trait(def definition.Trait, template *vela.Template) (*Trait, error) {
	if def.Phase != "" && def.Phase != definition.PhaseDefault {
		return nil, cue.NewError([]cue.Problem{{Position: def.Name, Message: fmt.Sprintf(
			"the definition is written as for KubeVela v1, and such a trait has no phase %s: write it with parameters and outputs: [...], or leave the phase out", def.Phase)}})
	}
	return &Trait{name: def.Name, phase: definition.PhaseDefault, appliesTo: def.AppliesTo, v1: template}, nil
}

// AppliedTrait is a trait of a component, with the properties that the user gave it.
type AppliedTrait struct {
	// Type as the user wrote it.
	Type       string
	Definition *Trait
	// Properties are JSON, or nil where the user gave none.
	Properties []byte
}

// place names the trait in a message: which one of the list it is, and its type.
func (a AppliedTrait) place(index int) string {
	return "traits[" + strconv.Itoa(index) + "] " + a.Type
}

func appliesToText(types []string) string {
	sorted := slices.Sorted(slices.Values(types))
	return strings.Join(sorted, ", ")
}

// Unknown are the parameters that the trait accepts without knowing them, in words.
func (t *Trait) Unknown(properties []byte) []string {
	if t.v1 == nil {
		return nil
	}
	var passed error // what cannot be evaluated is refused elsewhere
	defer cue.Guard(t.name, &passed)
	return t.v1.Unknown(properties)
}
