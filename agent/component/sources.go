package component

import (
	"encoding/json"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	agentrender "wheelwright.dev/wheelwright/agent/render"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/directive"
)

// bySource are the ConfigMaps and Secrets that a Component takes values from.
const bySource = "wheelwright.source"

// sources are the index entries of the ConfigMaps and Secrets that a Component names.
func sources(object client.Object) []string {
	component, ok := object.(*corev1alpha1.Component)
	if !ok {
		return nil
	}
	var entries []string
	for _, properties := range allProperties(component) {
		for _, source := range directive.Sources(properties) {
			entries = append(entries, sourceEntry(source.Kind, source.Name))
		}
	}
	return entries
}

func sourceEntry(kind, name string) string { return kind + "/" + name }

// enqueueUsers wakes the Components that take values from a ConfigMap or Secret. Of those the agent watches the metadata
// alone: a copy of every Secret of its cluster would be worth more to a thief than to the agent.
func (r *Reconciler) enqueueUsers(kind string) handler.EventHandler {
	return r.enqueueListed(bySource, func(changed client.Object) string { return sourceEntry(kind, changed.GetName()) })
}

// allProperties are those of a Component and of its traits.
func allProperties(component *corev1alpha1.Component) []json.RawMessage {
	all := []json.RawMessage{agentrender.Properties(component)}
	for _, trait := range component.Spec.Traits {
		if trait.Properties != nil {
			all = append(all, trait.Properties.Raw)
		}
	}
	return all
}
