package application

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// Checker finds what a spoke would refuse of a component whatever the cluster. Its errors are those of evaluate.Evaluator.Check.
type Checker interface {
	Check(ctx context.Context, work evaluate.Work) error
}

// checkComponent checks a component with the same evaluation that the spokes render with, so that what the hub accepts a
// spoke accepts too.
func checkComponent(ctx context.Context, app *corev1alpha1.Application, component corev1alpha1.ApplicationComponent, found definitions, checker Checker) error {
	open := &openProperties{}
	work := evaluate.Work{Type: component.Type, Definition: found.components[component.Type]}
	work.Context.Namespace, work.Context.Name = app.Namespace, app.Name+"-"+component.Name
	var err error
	if work.Properties, err = open.strip(rawProperties(component.Properties)); err != nil {
		return err
	}
	for _, trait := range component.Traits {
		properties, err := open.strip(rawProperties(trait.Properties))
		if err != nil {
			return err
		}
		work.Traits = append(work.Traits, evaluate.Trait{Type: trait.Type, Definition: found.traits[trait.Type], Properties: properties})
	}
	err = checker.Check(ctx, work)
	if given := (*evaluate.PropertiesError)(nil); errors.As(err, &given) {
		return open.withoutOpen(given.Err)
	}
	return err
}

func rawProperties(properties *runtime.RawExtension) []byte {
	if properties == nil {
		return nil
	}
	return properties.Raw
}
