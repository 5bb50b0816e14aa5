package application

import (
	"bytes"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/directive"
)

// withParameters is the Application with its parameters in the place of the fromParameter directives in its properties. One
// that uses none is given back as it is. Other directives stay: their values are known on the spoke.
func withParameters(app *corev1alpha1.Application) (*corev1alpha1.Application, []problem) {
	parameters := map[string]any{}
	if raw := rawProperties(app.Spec.Parameters); raw != nil {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		if err := decoder.Decode(&parameters); err != nil {
			return app, []problem{{condition.ReasonInvalidProperties, fmt.Sprintf("spec.parameters must be a map: %v", err)}}
		}
	}
	resolved := app.DeepCopy()
	var problems []problem
	resolve := func(where string, properties **runtime.RawExtension) {
		raw, err := directive.ResolveParameters(rawProperties(*properties), parameters)
		if err != nil {
			problems = append(problems, problem{condition.ReasonInvalidProperties, fmt.Sprintf("%s: %v", where, err)})
			return
		}
		if *properties != nil && !bytes.Equal(raw, (*properties).Raw) {
			*properties = &runtime.RawExtension{Raw: raw}
		}
	}
	for i := range resolved.Spec.Components {
		component := &resolved.Spec.Components[i]
		resolve(fmt.Sprintf("component %q", component.Name), &component.Properties)
		for j := range component.Traits {
			resolve(fmt.Sprintf("component %q: traits[%d] %s", component.Name, j, component.Traits[j].Type), &component.Traits[j].Properties)
		}
	}
	return resolved, problems
}

// usesParameters tells whether any property may name a parameter.
func usesParameters(app *corev1alpha1.Application) bool {
	for _, component := range app.Spec.Components {
		if directive.Has(rawProperties(component.Properties)) {
			return true
		}
		for _, trait := range component.Traits {
			if directive.Has(rawProperties(trait.Properties)) {
				return true
			}
		}
	}
	return false
}
