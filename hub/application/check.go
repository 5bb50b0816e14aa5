package application

import (
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/render"
)

// NewChecker checks with the same compiler that the spokes render with, so that what the hub accepts a spoke accepts too.
func NewChecker(compiler *render.Compiler) DefinitionChecker { return checker{compiler} }

type checker struct{ compiler *render.Compiler }

func (c checker) CheckDefinition(d definition.Definition) error {
	_, err := c.compiler.Component(d)
	return err
}

func (c checker) CheckTrait(d definition.Trait) error {
	_, err := c.compiler.Trait(d)
	return err
}

func (c checker) CheckProperties(component corev1alpha1.ApplicationComponent, found definitions) error {
	compiled, err := c.compiler.Component(found.components[component.Type])
	if err != nil {
		return err
	}
	open := &openProperties{}
	request := render.Request{Type: component.Type, Component: compiled}
	if request.Properties, err = open.strip(rawProperties(component.Properties)); err != nil {
		return err
	}
	for _, trait := range component.Traits {
		compiled, err := c.compiler.Trait(found.traits[trait.Type])
		if err != nil {
			return err
		}
		properties, err := open.strip(rawProperties(trait.Properties))
		if err != nil {
			return err
		}
		request.Traits = append(request.Traits, render.AppliedTrait{Type: trait.Type, Definition: compiled, Properties: properties})
	}
	return open.withoutOpen(render.Check(request))
}

func rawProperties(properties *runtime.RawExtension) []byte {
	if properties == nil {
		return nil
	}
	return properties.Raw
}
