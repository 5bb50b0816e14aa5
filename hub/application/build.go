package application

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// Labels of a dispatched Component, for people on the spoke.
const (
	applicationLabel = corev1alpha1.ApplicationLabel
	componentLabel   = corev1alpha1.ApplicationComponentLabel
)

var componentResource = corev1alpha1.GroupVersion.WithResource("components")

// contents builds what each component is on every cluster: a Component with the definition that it renders with. The same
// content goes to all clusters, so it is built and hashed once.
func contents(app *corev1alpha1.Application, found definitions) (map[string]*dispatch.Content, error) {
	built := make(map[string]*dispatch.Content, len(app.Spec.Components))
	for _, component := range app.Spec.Components {
		object, err := buildComponent(app, component, found.snapshot(component))
		if err != nil {
			return nil, fmt.Errorf("building component %q: %w", component.Name, err)
		}
		content, err := dispatch.NewContent(object, componentResource)
		if err != nil {
			return nil, fmt.Errorf("building component %q: %w", component.Name, err)
		}
		built[component.Name] = content
	}
	return built, nil
}

// snapshot is all that a component renders with: its definition, one for each type of its traits, and those of the components
// that these make, however far within.
func (d definitions) snapshot(component corev1alpha1.ApplicationComponent) *corev1alpha1.DefinitionSnapshot {
	snapshot := d.components[component.Type].Snapshot()
	needed := &closure{definitions: d, components: map[string]bool{}, traits: map[string]bool{}}
	needed.follow(d.components[component.Type])
	for _, trait := range component.Traits {
		needed.addTrait(trait.Type)
	}
	for _, typ := range needed.order(component) {
		snapshot.Traits = append(snapshot.Traits, d.traits[typ].Snapshot(typ))
	}
	for _, typ := range slices.Sorted(maps.Keys(needed.components)) {
		snapshot.Components = append(snapshot.Components, d.components[typ].ComponentSnapshot(typ))
	}
	return snapshot
}

// closure is what definitions need of each other.
type closure struct {
	definitions
	components, traits map[string]bool
}

func (c *closure) follow(def definition.Definition) {
	components, traits := cue.Composes(def)
	for _, typ := range components {
		if !c.components[typ] {
			c.components[typ] = true
			c.follow(c.definitions.components[typ])
		}
	}
	for _, typ := range traits {
		c.addTrait(typ)
	}
}

func (c *closure) addTrait(typ string) {
	if !c.traits[typ] {
		c.traits[typ] = true
		c.follow(c.definitions.traits[typ].Definition)
	}
}

// order puts the traits that a component has itself first, as it lists them.
func (c *closure) order(component corev1alpha1.ApplicationComponent) []string {
	var order []string
	for _, trait := range component.Traits {
		if !slices.Contains(order, trait.Type) {
			order = append(order, trait.Type)
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(c.traits)) {
		if !slices.Contains(order, typ) {
			order = append(order, typ)
		}
	}
	return order
}

func buildComponent(app *corev1alpha1.Application, component corev1alpha1.ApplicationComponent, snapshot *corev1alpha1.DefinitionSnapshot) (*unstructured.Unstructured, error) {
	object := &corev1alpha1.Component{
		TypeMeta: metav1.TypeMeta{APIVersion: corev1alpha1.GroupVersion.String(), Kind: "Component"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: app.Namespace, Name: componentName(app, component.Name),
			Labels: map[string]string{applicationLabel: app.Name, componentLabel: component.Name},
		},
		Spec: corev1alpha1.ComponentSpec{
			Type: component.Type, Properties: component.Properties, Traits: component.Traits, DefinitionSnapshot: snapshot,
		},
	}
	for _, dependency := range component.DependsOn {
		object.Spec.DependsOn = append(object.Spec.DependsOn, corev1alpha1.Dependency{Name: componentName(app, dependency.Name)})
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	delete(content, "status")
	// A null in metadata would make server-side apply see a change for ever.
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	return &unstructured.Unstructured{Object: content}, nil
}

// componentName is the Component's name on the spoke.
func componentName(app *corev1alpha1.Application, component string) string {
	return app.Name + "-" + component
}

func ownerOf(app *corev1alpha1.Application) dispatch.Owner {
	return dispatch.Owner{Kind: "Application", Namespace: app.Namespace, Name: app.Name, UID: app.UID}
}
