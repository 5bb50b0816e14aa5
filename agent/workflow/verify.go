package workflow

import (
	"fmt"
	"math"
	"slices"
)

// anyElement is behind all elements of a list.
const anyElement = math.MaxInt

// hasBoundary tells whether an element before index had the step that divides the workflow.
func (p *pass) hasBoundary(index int) bool {
	return slices.ContainsFunc(p.run.Steps, func(step StepStatus) bool {
		return step.Type == p.event.Kind.boundary() && int(step.Element) < index
	})
}

// verify names the steps of an element and finds what no step can be asked about by itself.
func (p *pass) verify(index int, steps []Step) error {
	taken := map[string]bool{}
	boundaries := 0
	for i := range p.run.Steps {
		if int(p.run.Steps[i].Element) < index {
			taken[p.run.Steps[i].Name] = true
		}
	}
	if p.hasBoundary(index) {
		boundaries++
	}
	if err := named(steps, taken); err != nil {
		return err
	}
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = step.Name
		if step.Type == p.event.Kind.boundary() {
			boundaries++
		}
		if err := p.checkStep(step); err != nil {
			return err
		}
	}
	if boundaries > 1 {
		return fmt.Errorf("a workflow can have one step of type %s", p.event.Kind.boundary())
	}
	begun := p.run.begun(index)
	if len(names) < len(begun) || !slices.Equal(names[:len(begun)], begun) {
		return fmt.Errorf("it gave the steps %q when it began, and gives %q now: "+
			"which steps an element gives must not depend on what its own steps change", begun, names)
	}
	return nil
}

func (p *pass) checkStep(step Step) error {
	if err := step.check(p.event.Kind, ""); err != nil {
		return fmt.Errorf("step %s: %w", step.Name, err)
	}
	for _, sub := range step.SubSteps {
		if err := sub.check(p.event.Kind, step.Name); err != nil {
			return fmt.Errorf("step %s: %w", sub.Name, err)
		}
	}
	return nil
}
