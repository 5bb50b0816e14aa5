package workflow

import (
	"encoding/json"
	"fmt"
	"time"
)

// Types of the built-in steps.
const (
	TypeDispatch         = "dispatch"
	TypeDispatchDelete   = "dispatch-delete"
	TypeWaitHealthy      = "wait-healthy"
	TypeSetWorkflowState = "set-workflow-state"
	TypeRunJob           = "run-job"
	TypeSuspend          = "suspend"
	TypeStepGroup        = "step-group"
)

// Modes of a step-group.
const (
	modeSteps = "StepByStep"
	modeDAG   = "DAG"
)

const maxNameLength = 128

// Step is a step as its element of the list evaluates to.
type Step struct {
	// Name is empty where the author gave none; the type then stands for it, with a number on repeats.
	Name string `json:"name,omitempty"`
	Type string `json:"type"`
	// Properties are those that are concrete, by key.
	Properties map[string]json.RawMessage `json:"properties,omitempty"`
	// Missing says, by key, why a property is not concrete.
	Missing map[string]string `json:"missing,omitempty"`
	// Selector names outputs, for wait-healthy.
	Selector *Selector `json:"selector,omitempty"`
	// If is "always" or a CUE expression. Empty means: unless an earlier step failed.
	If string `json:"if,omitempty"`
	// Timeout is a duration from the step's start.
	Timeout string `json:"timeout,omitempty"`
	// Retries bounds the tries after the first one that fail in a row. Nil leaves it to the type.
	Retries *int32 `json:"retries,omitempty"`
	// DependsOn names steps that must have succeeded.
	DependsOn []string `json:"dependsOn,omitempty"`
	Inputs    []Input  `json:"inputs,omitempty"`
	Outputs   []Output `json:"outputs,omitempty"`
	// Mode of a step-group: DAG, which is the default, or StepByStep.
	Mode     string `json:"mode,omitempty"`
	SubSteps []Step `json:"subSteps,omitempty"`
}

// Selector names outputs.
type Selector struct {
	Names []string `json:"names,omitempty"`
}

// Input puts a value into the properties: an output of an earlier step, or context.<path>.
type Input struct {
	From string `json:"from"`
	// ParameterKey is the path in the properties. Empty means that the input is only waited for, and seen by `if`.
	ParameterKey string `json:"parameterKey,omitempty"`
}

// Output gives a value of the finished step a name.
type Output struct {
	Name      string `json:"name"`
	ValueFrom string `json:"valueFrom"`
}

// timeout is nil-safe for steps that have none.
func (s Step) timeout() (time.Duration, error) {
	if s.Timeout == "" {
		return 0, nil
	}
	timeout, err := time.ParseDuration(s.Timeout)
	if err == nil && timeout <= 0 {
		err = fmt.Errorf("it must be longer than 0")
	}
	if err != nil {
		return 0, fmt.Errorf("timeout %q is no duration such as 10m: %w", s.Timeout, err)
	}
	return timeout, nil
}

// check finds what is wrong with a step whatever its event is. It is given the name that the step has in messages.
func (s Step) check(kind Kind, group string) error {
	if _, err := s.timeout(); err != nil {
		return err
	}
	switch {
	case len(s.Name) > maxNameLength:
		return fmt.Errorf("its name has %d bytes; at most %d are allowed", len(s.Name), maxNameLength)
	case s.Type == TypeDispatch && kind == Delete, s.Type == TypeDispatchDelete && kind != Delete:
		return fmt.Errorf("%s cannot stand in workflow.%s: use %s", s.Type, kind.block(), kind.boundary())
	case s.Type == kind.boundary() && group != "":
		return fmt.Errorf("%s cannot stand in a step-group, since it divides the workflow in two", s.Type)
	case s.Selector != nil && s.Type != TypeWaitHealthy:
		return fmt.Errorf("selector is for %s; a step of type %s takes its input in properties", TypeWaitHealthy, s.Type)
	case s.Type != TypeStepGroup && (len(s.SubSteps) > 0 || s.Mode != ""):
		return fmt.Errorf("subSteps and mode are for %s", TypeStepGroup)
	case s.Type == TypeStepGroup:
		return s.checkGroup(group)
	}
	return nil
}

func (s Step) checkGroup(group string) error {
	switch {
	case group != "":
		return fmt.Errorf("a step-group cannot stand in a step-group")
	case len(s.Properties)+len(s.Missing)+len(s.Inputs)+len(s.Outputs) > 0:
		return fmt.Errorf("a step-group has no properties, inputs or outputs: give them to its subSteps")
	case s.Mode != "" && s.Mode != modeSteps && s.Mode != modeDAG:
		return fmt.Errorf("mode must be %s or %s, not %q", modeSteps, modeDAG, s.Mode)
	}
	return nil
}

// named gives every step of an element its name, in their order, beside the names that are taken.
func named(steps []Step, taken map[string]bool) error {
	for i := range steps {
		if err := steps[i].takeName(taken); err != nil {
			return err
		}
		for j := range steps[i].SubSteps {
			if err := steps[i].SubSteps[j].takeName(taken); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Step) takeName(taken map[string]bool) error {
	if s.Name == "" {
		s.Name = s.Type
		for n := 2; taken[s.Name]; n++ {
			s.Name = fmt.Sprintf("%s-%d", s.Type, n)
		}
	} else if taken[s.Name] {
		return fmt.Errorf("two steps have the name %q: give one of them another name", s.Name)
	}
	taken[s.Name] = true
	return nil
}
