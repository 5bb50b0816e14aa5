package application

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wheelwright.dev/wheelwright/dispatch"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/evaluate"
	"wheelwright.dev/wheelwright/shared/worker"
)

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
func checkComponents(ctx context.Context, app *corev1alpha1.Application, found definitions, checker Checker) ([]problem, error) {
	broken := map[string]problem{}
	var problems []problem
	for _, component := range app.Spec.Components {
		wrong, err := sortProblems(component, checkComponent(ctx, app, component, found, checker), broken)
		if err != nil {
			return nil, err
		}
		problems = append(problems, wrong...)
	}
	if err := checkComposed(ctx, app, found, checker, broken); err != nil {
		return nil, err
	}
	if len(broken) > 0 {
		return slices.SortedFunc(maps.Values(broken), func(a, b problem) int { return strings.Compare(a.message, b.message) }), nil
	}
	built, err := contents(app, found)
	if err != nil {
		return nil, err
	}
	return append(problems, checkSizes(app, built)...), nil
}

// checkComposed finds what is wrong with the definitions of components that other definitions make. What those will be given
// is not known here.
func checkComposed(ctx context.Context, app *corev1alpha1.Application, found definitions, checker Checker, broken map[string]problem) error {
	for _, typ := range typesOf(app, found)[len(typesOf(app, definitions{})):] {
		component := corev1alpha1.ApplicationComponent{Name: typ, Type: typ}
		if _, err := sortProblems(component, checkComponent(ctx, app, component, found, checker), broken); err != nil {
			return err
		}
	}
	return nil
}

// sortProblems tells what is wrong with definitions, which is kept once however many components use them, from what is wrong
// with one component. What cannot be found out now is an error.
func sortProblems(component corev1alpha1.ApplicationComponent, found error, broken map[string]problem) ([]problem, error) {
	ofDefinition, limit := (*evaluate.DefinitionError)(nil), (*evaluate.LimitError)(nil)
	switch {
	case found == nil:
		return nil, nil
	case errors.Is(found, worker.ErrBusy), errors.Is(found, worker.ErrClosed), errors.Is(found, context.Canceled):
		return nil, fmt.Errorf("checking component %q: %w", component.Name, found)
	case errors.As(found, &limit):
		return []problem{{condition.ReasonEvaluationExceeded, fmt.Sprintf("component %q: %s", component.Name, limit)}}, nil
	case !errors.As(found, &ofDefinition):
		return []problem{{condition.ReasonInvalidProperties, fmt.Sprintf("component %q: %s", component.Name, found)}}, nil
	}
	for _, one := range evaluate.DefinitionErrors(found) {
		broken[one.Kind+"/"+one.Name] = problem{condition.ReasonDefinitionInvalid, one.Error()}
	}
	return nil, nil
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
