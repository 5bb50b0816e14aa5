package e2e

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// newTrait installs a trait definition on the hub.
func newTrait(t *testing.T, phase, source string) string {
	t.Helper()
	definition := &corev1alpha1.TraitDefinition{ObjectMeta: metav1.ObjectMeta{Name: "trait-" + rand.String(6)}}
	definition.Spec.Phase, definition.Spec.Files = phase, map[string]string{"template.cue": source}
	create(t, definition)
	t.Cleanup(func() {
		if err := shared.hubClient.Delete(context.WithoutCancel(t.Context()), definition); client.IgnoreNotFound(err) != nil {
			t.Errorf("deleting trait definition %s: %v", definition.Name, err)
		}
	})
	return definition.Name
}

func withTrait(component, typ string, properties map[string]any) change {
	return func(app *corev1alpha1.Application) {
		for i := range app.Spec.Components {
			if c := &app.Spec.Components[i]; c.Name == component {
				c.Traits = append(c.Traits, corev1alpha1.ComponentTrait{Type: typ, Properties: raw(properties)})
			}
		}
	}
}

// awaitConfig waits until a component's ConfigMap says the same on every spoke.
func awaitConfig(t *testing.T, namespace, component, key, want string) {
	t.Helper()
	for _, spoke := range shared.fleet.Spokes() {
		eventually(t, func(ctx context.Context) error {
			got, err := spokeConfig(ctx, spoke.Name, namespace, component, key)
			if err == nil && got != want {
				err = fmt.Errorf("%s of %s on %s is %q, want %q", key, component, spoke.Name, got, want)
			}
			return err
		})
	}
}

// Traits of all phases travel with what they need, and do on the spokes what they say.
func TestTraitsAreDelivered(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	label := newTrait(t, "", "parameters: team: string\npatch: outputs: [for o in context.outputs {name: o.name, metadata: labels: team: parameters.team}]")
	greet := newTrait(t, "pre", "parameters: greeting: string\npatch: properties: config: greeting: parameters.greeting")
	note := newTrait(t, "post", `outputs: [{name: "note", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: context.name + "-note", data: ip: context.status.service.clusterIP}}]`)
	app := newApplication(t, namespace, "shop", component("front", typ, web("level", "info")),
		withTrait("front", label, map[string]any{"team": "a"}), withTrait("front", greet, map[string]any{"greeting": "hello"}), withTrait("front", note, nil))
	awaitReady(t, app)
	awaitConfig(t, namespace, "shop-front", "greeting", "hello")
	for _, spoke := range shared.fleet.Spokes() {
		config := &corev1.ConfigMap{}
		key := types.NamespacedName{Namespace: namespace, Name: "shop-front-config"}
		if err := shared.spokeClients[spoke.Name].Get(t.Context(), key, config); err != nil || config.Labels["team"] != "a" {
			t.Errorf("%s: labels %v, %v, want team a", spoke.Name, config.Labels, err)
		}
		eventually(t, func(ctx context.Context) error {
			added := &corev1.ConfigMap{}
			err := shared.spokeClients[spoke.Name].Get(ctx, types.NamespacedName{Namespace: namespace, Name: "shop-front-note"}, added)
			if err == nil && added.Data["ip"] == "" {
				err = fmt.Errorf("the note on %s has %v", spoke.Name, added.Data)
			}
			return err
		})
	}
	edit(t, app, func(app *corev1alpha1.Application) { app.Spec.Components[0].Traits = nil })
	awaitReady(t, app)
	awaitConfig(t, namespace, "shop-front", "greeting", "")
}

// Values come from the Application on the hub, and from siblings and ConfigMaps on each spoke.
func TestDirectivesAreResolvedWhereTheirValuesAre(t *testing.T) {
	namespace, typ := newNamespace(t), newDefinition(t, nil)
	app := newApplication(t, namespace, "shop", component("back", typ, web()))
	awaitReady(t, app)
	for _, spoke := range shared.fleet.Spokes() {
		config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "cluster"}, Data: map[string]string{"zone": "z"}}
		if err := shared.spokeClients[spoke.Name].Create(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := shared.spokeClients[spoke.Name].Delete(context.WithoutCancel(t.Context()), config); client.IgnoreNotFound(err) != nil {
				t.Error(err)
			}
		})
	}
	edit(t, app, func(app *corev1alpha1.Application) {
		app.Spec.Parameters = raw(map[string]any{"image": "registry.example/web:2"})
		component("front", typ, map[string]any{
			"image": map[string]any{"fromParameter": "image"},
			"config": map[string]any{
				"backend": map[string]any{"fromDependency": "back.url"},
				"region":  map[string]any{"fromSource": map[string]any{"name": "cluster", "path": "region", "default": "nowhere"}},
			},
		})(app)
	})
	awaitReady(t, app)
	awaitConfig(t, namespace, "shop-front", "backend", "http://shop-back."+namespace+".svc:80")
	awaitConfig(t, namespace, "shop-front", "region", "nowhere")

	for _, spoke := range shared.fleet.Spokes() {
		config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "cluster"}}
		if err := shared.spokeClients[spoke.Name].Patch(t.Context(), config, client.RawPatch(types.MergePatchType, []byte(`{"data":{"region":"eu"}}`))); err != nil {
			t.Fatal(err)
		}
	}
	awaitConfig(t, namespace, "shop-front", "region", "eu")
}
