// Package offline is what definition authors do without a cluster: render a component from a folder of definitions.
package offline

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// Kinds of definitions, which are the names of folders too.
const (
	kindComponent = "component"
	kindTrait     = "trait"
)

// library is a folder of definitions: component/<name>/*.cue or component/<name>.cue, and trait likewise; and, at any
// depth, files in KubeVela's own form, which say themselves what they define.
type library struct {
	files fs.FS
}

// component finds the definition of a component type.
func (l library) component(typ string) (definition.Definition, error) {
	return l.find(kindComponent, typ)
}

// trait finds the definition of a trait type.
func (l library) trait(typ string) (definition.Trait, error) {
	found, err := l.find(kindTrait, typ)
	return definition.Trait{Definition: found}, err
}

// find looks where a definition belongs before it looks everywhere.
func (l library) find(kind, typ string) (definition.Definition, error) {
	reference, err := definition.ParseReference(typ)
	if err != nil {
		return definition.Definition{}, err
	}
	for _, name := range slices.Compact([]string{reference.ObjectName(), reference.Name}) {
		switch found, err := l.at(path.Join(kind, name)); {
		case err == nil:
			found.Name = name
			return inLine(found, reference), nil
		case !errors.Is(err, fs.ErrNotExist):
			return definition.Definition{}, err
		}
	}
	found, err := l.search(kind, reference.Name)
	if err != nil {
		return definition.Definition{}, err
	}
	return inLine(found, reference), nil
}

// inLine gives a definition from a folder, which says nothing of API lines, the one that was asked for.
func inLine(found definition.Definition, reference definition.Reference) definition.Definition {
	if reference.Line != "" {
		found.APIVersion = reference.Line
	}
	return found
}

// at reads the definition in a folder, or in a file of that name.
func (l library) at(place string) (definition.Definition, error) {
	if info, err := fs.Stat(l.files, place); err == nil && info.IsDir() {
		return definition.FromDirectory(l.files, place)
	}
	return definition.FromFile(l.files, place+".cue")
}

// search looks through all files in KubeVela's own form.
func (l library) search(kind, name string) (definition.Definition, error) {
	var places, names []string
	err := fs.WalkDir(l.files, ".", func(place string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() || !strings.HasSuffix(place, ".cue") {
			return nil
		}
		source, err := fs.ReadFile(l.files, place)
		if err != nil {
			return err
		}
		switch header := cue.FindHeader(source); {
		case header.Type != kind:
		case header.Name == name:
			places = append(places, place)
		default:
			names = append(names, header.Name)
		}
		return nil
	})
	if err != nil {
		return definition.Definition{}, fmt.Errorf("looking for definitions: %w", err)
	}
	switch len(places) {
	case 0:
		return definition.Definition{}, l.unknown(kind, name, names)
	case 1:
		found, err := definition.FromFile(l.files, places[0])
		found.Name = name
		return found, err
	}
	return definition.Definition{}, fmt.Errorf("%s %q is defined more than once: %s", kind, name, strings.Join(places, ", "))
}

// unknown names what there is instead, so that a typo explains itself.
func (l library) unknown(kind, name string, names []string) error {
	if entries, err := fs.ReadDir(l.files, kind); err == nil {
		for _, entry := range entries {
			if !strings.HasSuffix(entry.Name(), ".tests") {
				names = append(names, strings.TrimSuffix(entry.Name(), ".cue"))
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return fmt.Errorf("there is no %s %q: the folder of definitions has none: expected %s/%s/*.cue or %s/%s.cue", kind, name, kind, name, kind, name)
	}
	return fmt.Errorf("there is no %s %q in the folder of definitions; there are %s", kind, name, strings.Join(names, ", "))
}
