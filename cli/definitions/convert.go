package definitions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"wheelwright.dev/wheelwright/cli/offline"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// velaGroup is the API group of KubeVela's definitions.
const velaGroup = "core.oam.dev"

// imported is a definition of KubeVela's as a file in a folder of definitions.
type imported struct {
	// folder is component, trait or step, and the folder's name too.
	folder string
	name   string
	text   string
}

func (i imported) place() string { return path.Join(i.folder, i.name+".cue") }

// isVelaDefinition tells whether an object is a definition of KubeVela's, of whatever kind.
func isVelaDefinition(object *unstructured.Unstructured) bool {
	group, _, _ := strings.Cut(object.GetAPIVersion(), "/")
	return group == velaGroup && strings.HasSuffix(object.GetKind(), "Definition")
}

// convert turns a definition of KubeVela's into a file in KubeVela's own form. The error says why there can be none.
func convert(object *unstructured.Unstructured) (imported, error) {
	folder, typ, err := homeOf(object.GetKind())
	if err != nil {
		return imported{}, err
	}
	if problems := validation.IsDNS1123Subdomain(object.GetName()); len(problems) > 0 {
		return imported{}, fmt.Errorf("the name %q cannot be that of an object: %s", object.GetName(), strings.Join(problems, ", "))
	}
	template, err := templateOf(object)
	if err != nil {
		return imported{}, err
	}
	body, err := parseTemplate(template)
	if err != nil {
		return imported{}, err
	}
	text, err := writeFile(headerOf(object, typ), body)
	if err != nil {
		return imported{}, err
	}
	return imported{folder: folder, name: object.GetName(), text: text}, nil
}

// homeOf is the folder of a kind, and what a header calls it.
func homeOf(kind string) (folder, typ string, err error) {
	switch kind {
	case componentKind:
		return "component", "component", nil
	case traitKind:
		return "trait", "trait", nil
	case stepKind:
		return "step", "workflow-step", nil
	}
	return "", "", fmt.Errorf("there is nothing like a %s here: only components, traits and workflow steps can be imported", kind)
}

// templateOf is the CUE of a definition.
func templateOf(object *unstructured.Unstructured) (string, error) {
	schematic, _, _ := unstructured.NestedMap(object.Object, "spec", "schematic")
	template, found, err := unstructured.NestedString(schematic, "cue", "template")
	if err != nil {
		return "", errors.New("spec.schematic.cue.template is no text")
	}
	if found {
		return template, nil
	}
	if others := slices.Sorted(maps.Keys(schematic)); len(others) > 0 {
		return "", fmt.Errorf("it is made with spec.schematic.%s: only definitions in CUE can be imported", others[0])
	}
	return "", errors.New("it has no CUE: spec.schematic.cue.template is missing")
}

// check finds what would be refused later, before the file is written.
func (i imported) check(ctx context.Context, bench *offline.Workbench) error {
	entry := offline.Entry{Kind: i.folder}
	entry.Definition = definition.Definition{
		Name: i.name, APIVersion: definition.DefaultAPIVersion, Files: map[string]string{soleFile: i.text},
	}
	return withoutPlaces(bench.Compile(ctx, entry))
}

// withoutPlaces leaves out of an error the lines of a file that nobody has seen.
func withoutPlaces(err error) error {
	known := (*cue.Error)(nil)
	if !errors.As(err, &known) {
		return err
	}
	problems := slices.Clone(known.Problems)
	for i := range problems {
		problems[i].Position = ""
	}
	return fmt.Errorf("the template is refused: %w", cue.NewError(problems))
}
