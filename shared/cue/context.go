package cue

import (
	"bytes"
	"encoding/json"
	"maps"
)

// Context is what a definition sees as `context`, beside the parameters, which are always there. A field that is empty is
// absent in CUE: an expression over it is incomplete, not wrong.
type Context struct {
	// Name and Namespace of the Component.
	Name      string
	Namespace string
	// AppName and ComponentName are set where the Component belongs to an Application.
	AppName       string
	ComponentName string
	// Outputs are objects by output name: what was rendered, as the API server holds it.
	Outputs map[string]map[string]any
	// Status holds, by output name, the values that its statusPaths found in the live object.
	Status map[string]map[string]any
	// Values are laid over all of the above, map by map.
	Values map[string]any
}

// MarshalJSON is the context under the names that definitions use.
func (c Context) MarshalJSON() ([]byte, error) {
	fields := map[string]any{}
	for key, value := range map[string]string{
		"name":          c.Name,
		"namespace":     c.Namespace,
		"appName":       c.AppName,
		"componentName": c.ComponentName,
	} {
		if value != "" {
			fields[key] = value
		}
	}
	if c.Outputs != nil {
		fields["outputs"] = c.Outputs
	}
	if c.Status != nil {
		fields["status"] = c.Status
	}
	for key, value := range c.Values {
		below, taken := fields[key]
		if !taken {
			fields[key] = value
			continue
		}
		below, err := plain(below)
		if err != nil {
			return nil, err
		}
		fields[key] = overlay(below, value)
	}
	return json.Marshal(fields)
}

// plain is value as JSON has it, so that all maps in it are of one type.
func plain(value any) (any, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return nil, err
	}
	return decoded, nil
}

// overlay lays over upon below, map by map. It writes into neither.
func overlay(below, over any) any {
	lower, ok := below.(map[string]any)
	upper, both := over.(map[string]any)
	if !ok || !both {
		return over
	}
	merged := maps.Clone(lower)
	for key, value := range upper {
		merged[key] = overlay(merged[key], value)
	}
	return merged
}

// placeholderContext stands in where only parameters are checked and a default refers to the context.
var placeholderContext = Context{Name: "name", Namespace: "namespace", AppName: "app", ComponentName: "component"}

// With is the context with values laid over it.
func (c Context) With(values map[string]any) Context {
	merged := maps.Clone(c.Values)
	if merged == nil {
		merged = map[string]any{}
	}
	maps.Copy(merged, values)
	c.Values = merged
	return c
}

// Without is the context without some of its laid-over values.
func (c Context) Without(keys ...string) Context {
	c.Values = maps.Clone(c.Values)
	for _, key := range keys {
		delete(c.Values, key)
	}
	return c
}

// Only is the context with no other fields than some.
func (c Context) Only(names map[string]bool) Context {
	c.Values = maps.Clone(c.Values)
	maps.DeleteFunc(c.Values, func(name string, _ any) bool { return !names[name] })
	for name, field := range map[string]*string{"name": &c.Name, "namespace": &c.Namespace, "componentName": &c.ComponentName, "appName": &c.AppName} {
		if !names[name] {
			*field = ""
		}
	}
	if !names["outputs"] {
		c.Outputs = nil
	}
	if !names["status"] {
		c.Status = nil
	}
	return c
}
