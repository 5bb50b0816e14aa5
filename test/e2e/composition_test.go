package e2e

import (
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// A definition that makes components travels with theirs, to spokes that have none of them, and what one output reads of
// another flows there.
func TestACompositionIsDelivered(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	stack := newDefinition(t, func(definition *corev1alpha1.ComponentDefinition) {
		definition.Spec.Files = map[string]string{"template.cue": fmt.Sprintf(`parameters: {level: string, image?: string}
outputs: [
	{name: "back", type: "component", value: {type: %q, properties: {image: "registry.example/web:1", config: level: context.parameters.level}}},
	{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name + "-config", data: url: context.outputs.back.status.exports.url}},
]`, typ)}
	})
	app := newApplication(t, namespace, "shop", component("all", stack, map[string]any{"level": "info"}))
	awaitReady(t, app)
	awaitConfig(t, namespace, "shop-all", "url", "http://shop-all-back."+namespace+".svc:80")
	awaitConfig(t, namespace, "shop-all-back", "level", "info")
	for _, spoke := range shared.fleet.Spokes() {
		installed := &corev1alpha1.ComponentDefinition{}
		if err := shared.spokeClients[spoke.Name].Get(t.Context(), types.NamespacedName{Name: typ}, installed); !apierrors.IsNotFound(err) {
			t.Errorf("%s has the definition itself: %v", spoke.Name, err)
		}
	}
	edit(t, app, setProperties("all", map[string]any{"level": "debug"}))
	awaitReady(t, app)
	awaitConfig(t, namespace, "shop-all-back", "level", "debug")
}
