package offline

import (
	"strings"

	"wheelwright.dev/wheelwright/shared/directive"
	"wheelwright.dev/wheelwright/shared/evaluate"
	"wheelwright.dev/wheelwright/shared/render"
)

// Keys of the context file that stand in for what a spoke or the hub would look up. Definitions do not see them.
const (
	parametersKey   = "applicationParameters"
	sourcesKey      = "sources"
	dependenciesKey = "dependencies"
)

// resolveDirectives puts values from the context file in the place of from* directives, in the component's properties and
// in those of its traits.
func resolveDirectives(work *evaluate.Work) error {
	values := contextLookup(work.Context.Values)
	resolved, err := directive.Resolve(work.Properties, values)
	if err != nil {
		return err
	}
	work.Properties = resolved.Properties
	for i, trait := range work.Traits {
		resolved, err := directive.Resolve(trait.Properties, values)
		if err != nil {
			return &render.Error{Trait: "traits " + trait.Type, Err: err}
		}
		work.Traits[i].Properties = resolved.Properties
	}
	work.Context = work.Context.Without(parametersKey, sourcesKey, dependenciesKey)
	return nil
}

// contextLookup finds what directives name in the context file: applicationParameters by name; sources by name, with
// secret/ before it for a Secret; and dependencies, whose values are what the component exports.
type contextLookup map[string]any

// Parameter finds a parameter of the Application.
func (c contextLookup) Parameter(name string) (any, bool, error) {
	value, ok := c.mapAt(parametersKey)[name]
	return value, ok, nil
}

// Source finds the data of a ConfigMap or Secret.
func (c contextLookup) Source(kind, name string) (map[string]any, bool, error) {
	sources := c.mapAt(sourcesKey)
	for _, key := range []string{strings.ToLower(kind) + "/" + name, name} {
		if data, ok := sources[key].(map[string]any); ok {
			return data, true, nil
		}
	}
	return nil, false, nil
}

// Dependency finds the exports of a component.
func (c contextLookup) Dependency(component string) (map[string]any, bool, error) {
	exports, ok := c.mapAt(dependenciesKey)[component].(map[string]any)
	return exports, ok, nil
}

func (c contextLookup) mapAt(key string) map[string]any {
	fields, _ := c[key].(map[string]any)
	return fields
}
