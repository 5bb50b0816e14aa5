package cue

import "encoding/json"

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
	return json.Marshal(fields)
}

// placeholderContext stands in where only parameters are checked and a default refers to the context.
var placeholderContext = Context{Name: "name", Namespace: "namespace", AppName: "app", ComponentName: "component"}
