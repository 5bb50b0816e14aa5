// Package definition is what the hub and the spokes agree a definition to be: a named set of CUE files on an API line,
// told apart by a hash of its content. It is pure; where a definition comes from (an object, a snapshot in a Component,
// a directory on disk) makes no difference to what it is.
package definition

import (
	"maps"
	"slices"
	"strings"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// DefaultAPIVersion is the API line of a definition that names none.
const DefaultAPIVersion = "v1"

// testSuffix marks files that test a definition. They are no part of what is rendered.
const testSuffix = "_test.cue"

// Definition is a component definition, wherever it was read from.
type Definition struct {
	// Name of the definition, as places in error messages show it.
	Name string
	// APIVersion is the definition's own API line, such as v1.
	APIVersion string
	// Version names the content for people. It decides nothing.
	Version string
	// Files holds the CUE files by name.
	Files map[string]string
}

// FromObject reads the definition that a ComponentDefinition holds.
func FromObject(object *corev1alpha1.ComponentDefinition) Definition {
	return fromContent(object.Name, object.Spec.DefinitionContent)
}

// FromStepObject reads the definition that a WorkflowStepDefinition holds.
func FromStepObject(object *corev1alpha1.WorkflowStepDefinition) Definition {
	return fromContent(object.Name, object.Spec.DefinitionContent)
}

// FromSnapshot reads the definition that the hub sent along with a Component.
func FromSnapshot(snapshot *corev1alpha1.DefinitionSnapshot) Definition {
	return fromContent(snapshot.Name, snapshot.DefinitionContent)
}

// Snapshot is the definition as the hub sends it along with a Component. It shares no memory with d.
func (d Definition) Snapshot() *corev1alpha1.DefinitionSnapshot {
	return &corev1alpha1.DefinitionSnapshot{Name: d.Name, DefinitionContent: d.Content()}
}

// ComponentSnapshot is the definition as the hub sends it along for components of a type that another definition makes.
func (d Definition) ComponentSnapshot(typ string) corev1alpha1.ComponentSnapshot {
	return corev1alpha1.ComponentSnapshot{Type: typ, Name: d.Name, DefinitionContent: d.Content()}
}

// Content is the definition without its name, as API objects hold it. It shares no memory with d.
func (d Definition) Content() corev1alpha1.DefinitionContent {
	return corev1alpha1.DefinitionContent{Files: maps.Clone(d.Files), APIVersion: d.APIVersion, Version: d.Version}
}

// FileNames lists the files in a stable order.
func (d Definition) FileNames() []string {
	return slices.Sorted(maps.Keys(d.Files))
}

func fromContent(name string, content corev1alpha1.DefinitionContent) Definition {
	files := make(map[string]string, len(content.Files))
	for file, source := range content.Files {
		if !strings.HasSuffix(file, testSuffix) {
			files[file] = source
		}
	}
	line := content.APIVersion
	if line == "" {
		line = DefaultAPIVersion
	}
	return Definition{Name: name, APIVersion: line, Version: content.Version, Files: files}
}
