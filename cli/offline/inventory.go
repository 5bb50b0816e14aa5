package offline

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue/parser"
	"k8s.io/apimachinery/pkg/util/validation"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

const (
	kindStep = "step"
	// headerStep is what the header of KubeVela's own files calls such a definition.
	headerStep = "workflow-step"
	// testsSuffix ends a folder of cases beside a definition that is a file.
	testsSuffix = ".tests"
)

// inventory lists the definitions in a folder in a stable order, and what is in it that no definition is read from.
func (l library) inventory() ([]place, []cue.Problem, error) {
	taken := &inventory{library: l, at: map[string]place{}}
	err := fs.WalkDir(l.files, ".", func(at string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if base := path.Base(at); at != "." && (strings.HasPrefix(base, ".") || base == "cue.mod") {
				return fs.SkipDir
			}
			return taken.folder(at)
		case strings.HasSuffix(at, ".cue") && !strings.HasSuffix(at, "_test.cue"):
			return taken.file(at)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("looking for definitions: %w", err)
	}
	return taken.places, taken.problems, nil
}

type inventory struct {
	library
	places   []place
	problems []cue.Problem
	// at has the places by kind and name.
	at map[string]place
}

func isKind(folder string) bool {
	return slices.Contains([]string{kindComponent, kindTrait, kindStep}, folder)
}

// folder takes component/<name>, and finds one that is empty.
func (i *inventory) folder(at string) error {
	kind, name := path.Split(at)
	kind = strings.TrimSuffix(kind, "/")
	if !isKind(kind) {
		return nil
	}
	if file, ok := strings.CutSuffix(at, testsSuffix); ok {
		if _, err := fs.Stat(i.files, file+".cue"); err != nil {
			i.problem(at, fmt.Sprintf("the cases are of no definition: there is no %s.cue beside them", file))
		}
		return nil
	}
	entries, err := fs.ReadDir(i.files, at)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.IsDir() && strings.HasSuffix(entry.Name(), ".cue") && !strings.HasSuffix(entry.Name(), "_test.cue") {
			i.add(place{kind: kind, name: name, at: at})
			return nil
		}
	}
	i.problem(at, "the folder holds no definition: it has no .cue file that is not a test")
	return nil
}

// file takes a definition that is one file, and finds files that belong to none.
func (i *inventory) file(at string) error {
	text, err := definition.ReadFile(i.files, at)
	if err != nil {
		i.problem(at, "the file cannot be read: "+err.Error())
		return nil
	}
	parts := strings.Split(at, "/")
	if isKind(parts[0]) && len(parts) == 3 {
		return nil // a part of a folder
	}
	if isKind(parts[0]) && len(parts) == 2 {
		i.add(place{kind: parts[0], name: strings.TrimSuffix(parts[1], ".cue"), at: at})
		return nil
	}
	switch header := cue.FindHeader(text); header.Type {
	case kindComponent, kindTrait:
		i.add(place{kind: header.Type, name: header.Name, at: at})
	case headerStep:
		i.add(place{kind: kindStep, name: header.Name, at: at})
	case "":
		i.stray(at, text)
	}
	return nil
}

// stray says why a file is no definition.
func (i *inventory) stray(at string, text []byte) {
	if _, err := parser.ParseFile(at, text); err != nil {
		i.problems = append(i.problems, cue.ProblemsOf(err)...)
		return
	}
	if parts := strings.Split(at, "/"); isKind(parts[0]) {
		i.problem(at, fmt.Sprintf("the file belongs to no definition: those of one lie in %s/%s itself, not below it", parts[0], parts[1]))
		return
	}
	i.problem(at, `the file holds no definition: move it to component/<name>/ or trait/<name>/, or give it a header, "name": {type: "component"}, and template: {...}`)
}

func (i *inventory) add(found place) {
	if wrong := validation.IsDNS1123Subdomain(found.name); len(wrong) > 0 {
		i.problem(found.at, fmt.Sprintf("%q cannot be the name of a definition: use lower case letters, digits, '-' and '.'", found.name))
		return
	}
	key := found.kind + " " + found.name
	if first, ok := i.at[key]; ok {
		i.problem(found.at, fmt.Sprintf("%s %q is defined already, in %s", found.kind, found.name, first.at))
		return
	}
	i.at[key] = found
	i.places = append(i.places, found)
}

func (i *inventory) problem(at, message string) {
	i.problems = append(i.problems, cue.Problem{Position: at, Message: message})
}
