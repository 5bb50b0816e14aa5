package directive

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
)

// Dependencies are the components that directives in properties name, each once. What cannot be read names none.
func Dependencies(properties []byte) []string {
	return ask(properties).components()
}

// Source is a ConfigMap or Secret that a directive names.
type Source struct {
	// Kind is ConfigMap or Secret.
	Kind, Name string
}

// Sources are the ConfigMaps and Secrets that directives in properties name, each once. What cannot be read names none.
func Sources(properties []byte) []Source {
	return slices.SortedFunc(maps.Keys(ask(properties).sources), func(a, b Source) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
	})
}

func ask(properties []byte) *asking {
	asked := &asking{names: map[string]bool{}, sources: map[Source]bool{}}
	if _, err := Resolve(properties, asked); err != nil {
		if unresolved := (*UnresolvedError)(nil); !errors.As(err, &unresolved) {
			return &asking{}
		}
	}
	return asked
}

// asking is a Lookup that finds nothing and remembers what was asked for.
type asking struct {
	names   map[string]bool
	sources map[Source]bool
}

func (a *asking) components() []string { return slices.Sorted(maps.Keys(a.names)) }

func (a *asking) Parameter(string) (any, bool, error) { return nil, false, nil }

func (a *asking) Source(kind, name string) (map[string]any, bool, error) {
	a.sources[Source{Kind: kind, Name: name}] = true
	return nil, false, nil
}

func (a *asking) Dependency(component string) (map[string]any, bool, error) {
	a.names[component] = true
	return nil, false, nil
}

// Strip takes every directive out of properties, with the list around it if it stands in one, and names the paths that are
// open then: what is to be known of them is not known yet. The path "" means all of them. The error is an *UnresolvedError
// about directives that no lookup could resolve, or a *cue.Error about properties that are no map.
func Strip(properties []byte) (stripped []byte, open []string, err error) {
	s := &stripper{}
	stripped, err = s.strip(properties)
	return stripped, s.open, err
}
