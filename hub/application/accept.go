package application

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/definition"
)

// DefinitionChecker says what is wrong with a definition, and whether the properties of a component and its traits fit. Its errors name every
// problem and its place.
type DefinitionChecker interface {
	CheckDefinition(d definition.Definition) error
	CheckTrait(d definition.Trait) error
	CheckProperties(component corev1alpha1.ApplicationComponent, found definitions) error
}

// checkDependencies finds circles and unknown names. The schema refuses unknown names too, but not in objects from before
// it did.
func checkDependencies(app *corev1alpha1.Application) []problem {
	known := map[string]bool{}
	for _, component := range app.Spec.Components {
		known[component.Name] = true
	}
	var problems []problem
	for _, component := range app.Spec.Components {
		for _, dependency := range component.DependsOn {
			if !known[dependency.Name] {
				problems = append(problems, problem{condition.ReasonUnknownDependency, fmt.Sprintf(
					"component %q depends on %q, which is no component of this Application", component.Name, dependency.Name)})
			}
		}
	}
	if _, cycle := levels(app.Spec.Components); cycle != nil {
		problems = append(problems, problem{condition.ReasonDependencyCycle, "dependsOn goes round in a circle: " + describeCycle(cycle)})
	}
	return problems
}

// checkComponents finds what the spokes would refuse: definitions that do not compile, properties that do not fit them and
// objects that do not fit into a work.
func checkComponents(app *corev1alpha1.Application, found definitions, checker DefinitionChecker) ([]problem, error) {
	problems := checkDefinitions(found, checker)
	if len(problems) > 0 {
		return problems, nil
	}
	for _, component := range app.Spec.Components {
		if err := checker.CheckProperties(component, found); err != nil {
			problems = append(problems, problem{condition.ReasonInvalidProperties, fmt.Sprintf("component %q: %s", component.Name, err)})
		}
	}
	built, err := contents(app, found)
	if err != nil {
		return nil, err
	}
	return append(problems, checkSizes(app, built)...), nil
}

func checkDefinitions(found definitions, checker DefinitionChecker) []problem {
	var problems []problem
	for _, typ := range slices.Sorted(maps.Keys(found.components)) {
		if err := checker.CheckDefinition(found.components[typ]); err != nil {
			problems = append(problems, problem{condition.ReasonDefinitionInvalid, fmt.Sprintf("definition %q: %s", typ, err)})
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(found.traits)) {
		if err := checker.CheckTrait(found.traits[typ]); err != nil {
			problems = append(problems, problem{condition.ReasonDefinitionInvalid, fmt.Sprintf("trait definition %q: %s", typ, err)})
		}
	}
	return problems
}

func checkSizes(app *corev1alpha1.Application, built map[string]*dispatch.Content) []problem {
	var problems []problem
	for _, component := range app.Spec.Components {
		if err := built[component.Name].CheckSize(); err != nil {
			problems = append(problems, problem{condition.ReasonTooLarge, fmt.Sprintf("component %q: %s", component.Name, err)})
		}
	}
	return problems
}

// summarize is one problem that names all of them, under the reason of the first.
func summarize(problems []problem) problem {
	const most = 20
	messages := make([]string, 0, len(problems))
	for _, p := range problems[:min(len(problems), most)] {
		messages = append(messages, p.message)
	}
	if len(problems) > most {
		messages = append(messages, fmt.Sprintf("and %d more problems", len(problems)-most))
	}
	return problem{reason: problems[0].reason, message: strings.Join(messages, "; ")}
}
