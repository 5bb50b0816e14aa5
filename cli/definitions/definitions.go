// Package definitions carries definitions from a folder to a cluster, shows how the two differ, and brings KubeVela's
// definitions into a folder.
package definitions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/offline"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// Kinds of the objects that hold definitions, KubeVela's and ours, in the order in which they are applied.
const (
	componentKind = "ComponentDefinition"
	traitKind     = "TraitDefinition"
	stepKind      = "WorkflowStepDefinition"
)

// soleFile is the file of a definition that is one file. The name of that file is the definition's, which may have dots
// where the name of a file in an object may not.
const soleFile = "template.cue"

// Definition is a definition as the object of a cluster holds it.
type Definition struct {
	// Kind and Name of the object.
	Kind, Name string
	// Place in the folder that it was read from; empty for one that was read from a cluster.
	Place string
	// Content has Phase and AppliesTo for traits alone.
	Content corev1alpha1.TraitContent
}

// Read reads the definitions of a folder, components first, then traits, then steps, by name. Problems are all that keeps
// any of them from being rendered; there are then no definitions. The error is about the folder itself, and tells of one
// that holds no definition.
func Read(ctx context.Context, bench *offline.Workbench, dir string) ([]Definition, []cue.Problem, error) {
	entries, problems, err := bench.Load(ctx, dir)
	if err != nil || len(problems) > 0 {
		return nil, problems, err
	}
	if len(entries) == 0 {
		return nil, nil, fmt.Errorf("there are no definitions in %s: expected component/<name>/*.cue, trait/<name>/*.cue or step/<name>/*.cue", dir)
	}
	var read []Definition
	for _, entry := range entries {
		read = append(read, fromEntry(entry))
	}
	slices.SortFunc(read, compare)
	return read, nil, nil
}

func fromEntry(entry offline.Entry) Definition {
	content := entry.Snapshot(entry.Name).TraitContent
	if strings.HasSuffix(entry.Place, ".cue") {
		for _, source := range entry.Files {
			content.Files = map[string]string{soleFile: source}
		}
	}
	return Definition{Kind: kindIn(entry.Kind), Name: entry.Name, Place: entry.Place, Content: content}
}

// kindIn is the kind of the objects whose definitions lie in a folder of that name.
func kindIn(folder string) string {
	switch folder {
	case "component":
		return componentKind
	case "trait":
		return traitKind
	}
	return stepKind
}

// compare orders by kind and name. The kinds' order is that of the alphabet.
func compare(a, b Definition) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
}

// object is the definition as it is applied.
func (d Definition) object() client.Object {
	typ := metav1.TypeMeta{APIVersion: corev1alpha1.GroupVersion.String(), Kind: d.Kind}
	meta := metav1.ObjectMeta{Name: d.Name}
	switch d.Kind {
	case componentKind:
		return &corev1alpha1.ComponentDefinition{TypeMeta: typ, ObjectMeta: meta,
			Spec: corev1alpha1.ComponentDefinitionSpec{DefinitionContent: d.Content.DefinitionContent}}
	case traitKind:
		return &corev1alpha1.TraitDefinition{TypeMeta: typ, ObjectMeta: meta,
			Spec: corev1alpha1.TraitDefinitionSpec{TraitContent: d.Content}}
	}
	return &corev1alpha1.WorkflowStepDefinition{TypeMeta: typ, ObjectMeta: meta,
		Spec: corev1alpha1.WorkflowStepDefinitionSpec{DefinitionContent: d.Content.DefinitionContent}}
}

// fromObject is the definition that an object of a cluster holds.
func fromObject(object client.Object) Definition {
	read := Definition{Name: object.GetName()}
	switch object := object.(type) {
	case *corev1alpha1.ComponentDefinition:
		read.Kind, read.Content.DefinitionContent = componentKind, object.Spec.DefinitionContent
	case *corev1alpha1.TraitDefinition:
		read.Kind, read.Content = traitKind, object.Spec.TraitContent
	case *corev1alpha1.WorkflowStepDefinition:
		read.Kind, read.Content.DefinitionContent = stepKind, object.Spec.DefinitionContent
	}
	read.Content.APIVersion = cmp.Or(read.Content.APIVersion, definition.DefaultAPIVersion)
	return read
}

// same tells whether two definitions hold the same. The order of appliesTo says nothing.
func (d Definition) same(other Definition) bool {
	return len(differingParts(d, other)) == 0
}
