package directive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wheelwright.dev/wheelwright/shared/cue"
)

// Lookup brings what directives name. An error is for what failed and may not fail again; what is not there is not found.
type Lookup interface {
	// Parameter is a parameter of the Application.
	Parameter(name string) (value any, found bool, err error)
	// Source is the data of a ConfigMap or Secret in the component's own namespace.
	Source(kind, name string) (data map[string]any, found bool, err error)
	// Dependency is what another component exports. It is not found until that component is healthy.
	Dependency(component string) (exports map[string]any, found bool, err error)
}

// Resolved are properties without directives.
type Resolved struct {
	// Properties are JSON, or nil where there were none.
	Properties []byte
	// secrets are the paths of values that came from Secrets, and the values as texts.
	secrets map[string]string
}

// UnresolvedError names every directive that has no value.
type UnresolvedError struct {
	Unresolved []Unresolved
}

// Unresolved is one directive that has no value.
type Unresolved struct {
	// Path of the directive in the properties.
	Path string
	// Directive in short, as fromDependency: database.host.
	Directive string
	// Reason says what is missing, or how the directive should look.
	Reason string
	// Waits is set where the value may yet come; otherwise the properties have to be changed.
	Waits bool
}

// Error names the directives in the order of their paths.
func (e *UnresolvedError) Error() string {
	messages := make([]string, 0, len(e.Unresolved))
	for _, one := range e.Unresolved {
		messages = append(messages, fmt.Sprintf("property %q takes its value %s: %s", one.Path, one.Directive, one.Reason))
	}
	return strings.Join(messages, "; ")
}

// Waits tells whether all that is missing may yet come.
func (e *UnresolvedError) Waits() bool {
	return !slices.ContainsFunc(e.Unresolved, func(one Unresolved) bool { return !one.Waits })
}

// Has tells whether properties hold any directive.
func Has(properties []byte) bool {
	return bytes.Contains(properties, []byte(fromParameter)) || bytes.Contains(properties, []byte(fromSource)) ||
		bytes.Contains(properties, []byte(fromDependency))
}

func hasParameter(properties []byte) bool { return bytes.Contains(properties, []byte(fromParameter)) }

// Resolve puts values in the place of all directives in properties, JSON. The error is an *UnresolvedError, a *cue.Error about
// properties that are no map, or one that a lookup failed with.
func Resolve(properties []byte, lookup Lookup) (*Resolved, error) {
	if !Has(properties) {
		return &Resolved{Properties: properties}, nil
	}
	if err := cue.CheckProperties(properties); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(properties))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("decoding properties: %w", err)
	}
	r := &resolver{lookup: lookup, secrets: map[string]string{}}
	value = r.walk(nil, value)
	switch {
	case r.failure != nil:
		return nil, r.failure
	case len(r.unresolved) > 0:
		return nil, &UnresolvedError{Unresolved: r.unresolved}
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encoding properties: %w", err)
	}
	return &Resolved{Properties: encoded, secrets: r.secrets}, nil
}

type resolver struct {
	lookup     Lookup
	unresolved []Unresolved
	secrets    map[string]string
	// failure is the first one that a lookup ended with.
	failure error
}

// walk is depth first and in the order of keys, so that errors have a stable order.
func (r *resolver) walk(path []string, value any) any {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			value[i] = r.walk(append(slices.Clip(path), strconv.Itoa(i)), item)
		}
		return value
	case map[string]any:
		found, is, err := read(value)
		if is {
			resolved, left := r.resolve(path, found, err)
			if left {
				return value
			}
			return resolved
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			value[key] = r.walk(append(slices.Clip(path), key), value[key])
		}
	}
	return value
}

// resolve gives the value of a directive, or tells that it is to be left where it is.
func (r *resolver) resolve(path []string, found directive, malformed error) (value any, left bool) {
	at := cue.ParameterPath(path)
	if malformed != nil {
		r.unresolved = append(r.unresolved, Unresolved{Path: at, Directive: "from elsewhere", Reason: malformed.Error()})
		return nil, false
	}
	value, missing, err := r.value(found)
	switch {
	case errors.Is(err, errLeave):
		return nil, true
	case err != nil:
		if r.failure == nil {
			r.failure = fmt.Errorf("resolving %s for property %q: %w", found, at, err)
		}
	case missing != nil:
		missing.Path, missing.Directive = at, found.String()
		r.unresolved = append(r.unresolved, *missing)
	case found.kind == Secret:
		r.secrets[at] = fmt.Sprint(value)
	}
	return value, false
}

// value looks a directive up. What is missing has no place yet.
func (r *resolver) value(d directive) (value any, missing *Unresolved, err error) {
	var container map[string]any
	var found bool
	reason := ""
	switch d.from {
	case fromParameter:
		value, found, err = r.lookup.Parameter(d.name)
		if err != nil || found {
			return value, nil, err
		}
		return fallback(d, &Unresolved{Reason: fmt.Sprintf("there is no parameter %q", d.name)})
	case fromSource:
		container, found, err = r.lookup.Source(d.kind, d.name)
		reason = fmt.Sprintf("there is no %s %q in the component's namespace", d.kind, d.name)
	case fromDependency:
		container, found, err = r.lookup.Dependency(d.name)
		reason = fmt.Sprintf("component %q exports nothing yet", d.name)
	}
	switch {
	case err != nil:
		return nil, nil, err
	case !found:
		return nil, &Unresolved{Reason: reason, Waits: true}, nil
	}
	if value, found = lookUp(container, d.path); found {
		return value, nil, nil
	}
	return fallback(d, &Unresolved{Reason: fmt.Sprintf("there is no %q; there are %s", d.path, names(container)), Waits: true})
}

func fallback(d directive, missing *Unresolved) (any, *Unresolved, error) {
	if d.hasFallback {
		return d.fallback, nil, nil
	}
	return nil, missing, nil
}

// lookUp takes path as one key before it goes down at its dots: keys of ConfigMaps have dots of their own.
func lookUp(container map[string]any, path string) (any, bool) {
	if value, ok := container[path]; ok {
		return value, true
	}
	key, rest, ok := strings.Cut(path, ".")
	if !ok {
		return nil, false
	}
	below, ok := container[key].(map[string]any)
	if !ok {
		return nil, false
	}
	return lookUp(below, rest)
}

// names are the keys only: the values may be secret.
func names(container map[string]any) string {
	if len(container) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(container)), ", ")
}
