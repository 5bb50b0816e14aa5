package definition

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Phase is when a trait has its effect (KEP-2.2).
type Phase string

const (
	// PhasePre traits change the component's parameters, or its dispatcher, before it is rendered.
	PhasePre Phase = "pre"
	// PhaseDefault traits patch what the component rendered and add to it.
	PhaseDefault Phase = "default"
	// PhasePost traits add objects once the component is healthy.
	PhasePost Phase = "post"
)

// Trait is a trait definition, wherever it was read from.
type Trait struct {
	Definition

	// Phase may be empty: the definition's own CUE then says it, and otherwise it is PhaseDefault.
	Phase Phase
	// AppliesTo names the component types that the trait is for. Empty means that the definition's own CUE says it, and
	// otherwise all of them.
	AppliesTo []string
}

// FromTraitObject reads the definition that a TraitDefinition holds.
func FromTraitObject(object *corev1alpha1.TraitDefinition) Trait {
	return fromTraitContent(object.Name, object.Spec.TraitContent)
}

// FromTraitSnapshot reads the definition that the hub sent along with a Component.
func FromTraitSnapshot(snapshot corev1alpha1.TraitSnapshot) Trait {
	return fromTraitContent(snapshot.Name, snapshot.TraitContent)
}

// Snapshot is the trait as the hub sends it along with a Component that names it by typ. It shares no memory with t.
func (t Trait) Snapshot(typ string) corev1alpha1.TraitSnapshot {
	return corev1alpha1.TraitSnapshot{Type: typ, Name: t.Name, TraitContent: corev1alpha1.TraitContent{
		DefinitionContent: t.Content(), Phase: string(t.Phase), AppliesTo: slices.Clone(t.AppliesTo),
	}}
}

func fromTraitContent(name string, content corev1alpha1.TraitContent) Trait {
	return Trait{
		Definition: fromContent(name, content.DefinitionContent), Phase: Phase(content.Phase), AppliesTo: slices.Clone(content.AppliesTo),
	}
}

// Hash tells contents apart, as Definition.Hash does, with what a trait has beside it.
func (t Trait) Hash() string {
	if t.Phase == "" && len(t.AppliesTo) == 0 {
		return t.Definition.Hash()
	}
	sum := sha256.New()
	for _, part := range append([]string{t.Definition.Hash(), string(t.Phase)}, t.AppliesTo...) {
		writeString(sum, part)
	}
	return hashVersion + hex.EncodeToString(sum.Sum(nil)[:16])
}
