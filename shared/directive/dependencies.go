package directive

import (
	"errors"
	"maps"
	"slices"
)

// Dependencies are the components that directives in properties name, each once. What cannot be read names none.
func Dependencies(properties []byte) []string {
	asked := &asking{names: map[string]bool{}}
	if _, err := Resolve(properties, asked); err != nil {
		if unresolved := (*UnresolvedError)(nil); !errors.As(err, &unresolved) {
			return nil
		}
	}
	return slices.Sorted(maps.Keys(asked.names))
}

// asking is a Lookup that finds nothing and remembers which components were asked for.
type asking struct {
	names map[string]bool
}

func (a *asking) Parameter(string) (any, bool, error) { return nil, false, nil }

func (a *asking) Source(string, string) (map[string]any, bool, error) { return nil, false, nil }

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
