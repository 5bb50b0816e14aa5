// Package offline is what definition authors do without a cluster: render a component from a folder of definitions.
package offline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
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
	// deprecated is where KubeVela keeps what it gave up, beside the folder that was named; nil for other folders.
	deprecated fs.FS
}

// Folders of KubeVela's own library, whose chart ships the first two. Of one definition in several the first counts.
const (
	velaInternal   = "internal"
	velaDeprecated = "deprecated"
)

// openLibrary opens a folder of definitions. What is called internal and has deprecated beside it is KubeVela's, of which each
// is half.
func openLibrary(dir string) (library, func(), error) {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return library{}, nil, fmt.Errorf("opening the folder of definitions: %w", err)
	}
	opened := library{files: folder.FS()}
	whole, err := filepath.Abs(dir)
	if err != nil || filepath.Base(whole) != velaInternal {
		return opened, func() { _ = folder.Close() }, nil
	}
	beside, err := os.OpenRoot(filepath.Join(filepath.Dir(whole), velaDeprecated))
	if err != nil {
		return opened, func() { _ = folder.Close() }, nil
	}
	opened.deprecated = beside.FS()
	return opened, func() { _, _ = folder.Close(), beside.Close() }, nil
}

// component finds the definition of a component type.
func (l library) component(typ string) (definition.Definition, error) {
	found, err := l.find(kindComponent, typ)
	return found.Definition, err
}

// trait finds the definition of a trait type.
func (l library) trait(typ string) (definition.Trait, error) {
	return l.find(kindTrait, typ)
}

// find looks where a definition belongs before it looks everywhere.
func (l library) find(kind, typ string) (definition.Trait, error) {
	reference, err := definition.ParseReference(typ)
	if err != nil {
		return definition.Trait{}, err
	}
	for _, name := range slices.Compact([]string{reference.ObjectName(), reference.Name}) {
		switch found, err := l.at(kind, name); {
		case err == nil:
			return inLine(found, reference)
		case !errors.Is(err, fs.ErrNotExist):
			return definition.Trait{}, err
		}
	}
	found, err := l.search(kind, reference.Name)
	if unknown := (*unknownError)(nil); errors.As(err, &unknown) && l.deprecated != nil {
		if found, deprecatedErr := (library{files: l.deprecated}).search(kind, reference.Name); deprecatedErr == nil {
			return inLine(found, reference)
		}
	}
	if err != nil {
		return definition.Trait{}, err
	}
	return inLine(found, reference)
}

// inLine gives a definition of the first API line, which need not say so, the one that was asked for.
func inLine(found definition.Trait, reference definition.Reference) (definition.Trait, error) {
	switch {
	case reference.Line == "" || reference.Line == found.APIVersion:
	case found.APIVersion != definition.DefaultAPIVersion:
		return found, fmt.Errorf("the definition of %s in the folder is of API line %s, not %s", found.Name, found.APIVersion, reference.Line)
	default:
		found.APIVersion = reference.Line
	}
	return found, nil
}

// at reads the definition in a folder, or in a file of that name.
func (l library) at(kind, name string) (definition.Trait, error) {
	at := path.Join(kind, name)
	if info, err := fs.Stat(l.files, at); err != nil || !info.IsDir() {
		at += ".cue"
	}
	return l.read(place{kind: kind, name: name, at: at})
}

// read reads the definition at a place.
func (l library) read(from place) (definition.Trait, error) {
	switch {
	case strings.HasSuffix(from.at, ".cue"):
		found, err := definition.FromFile(l.files, from.at, from.name)
		return definition.Trait{Definition: found}, err
	case from.kind == kindTrait:
		return definition.TraitFromDirectory(l.files, from.at)
	}
	found, err := definition.FromDirectory(l.files, from.at)
	return definition.Trait{Definition: found}, err
}

// search looks through all files in KubeVela's own form.
func (l library) search(kind, name string) (definition.Trait, error) {
	var places, names []string
	err := fs.WalkDir(l.files, ".", func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() || !strings.HasSuffix(at, ".cue") {
			return nil
		}
		source, err := definition.ReadFile(l.files, at)
		if err != nil {
			return err
		}
		switch header := cue.FindHeader(source); {
		case header.Type != kind:
		case header.Name == name:
			places = append(places, at)
		default:
			names = append(names, header.Name)
		}
		return nil
	})
	if err != nil {
		return definition.Trait{}, fmt.Errorf("looking for definitions: %w", err)
	}
	switch places = preferred(places); len(places) {
	case 0:
		return definition.Trait{}, &unknownError{l.unknown(kind, name, names)}
	case 1:
		return l.read(place{kind: kind, name: name, at: places[0]})
	}
	return definition.Trait{}, fmt.Errorf("%s %q is defined more than once: %s", kind, name, strings.Join(places, ", "))
}

// preferred are the places that count, of those that define the same.
func preferred(places []string) []string {
	for _, folder := range []string{velaInternal, velaDeprecated} {
		var within []string
		for _, at := range places {
			if strings.HasPrefix(at, folder+"/") {
				within = append(within, at)
			}
		}
		if len(within) > 0 {
			return within
		}
	}
	return places
}

// unknownError is about a definition that is not there.
type unknownError struct{ error }

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
