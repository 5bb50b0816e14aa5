package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	wfcontext "github.com/kubevela/workflow/pkg/context"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// variables are the engine's context backend, kept in the run. The engine's own one is a ConfigMap whose loss stops a
// workflow for good, beside counters that end with the process. This one is as durable as the run, and written with it.
type variables struct {
	run  *Run
	step string
}

var _ wfcontext.Context = variables{}

// GetVar finds a variable, or a field of one.
func (v variables) GetVar(path ...string) (cuelang.Value, error) {
	encoded, err := encode(rawMap(v.run.Variables))
	if err != nil {
		return cuelang.Value{}, err
	}
	found, ok := descend(encoded, path)
	if !ok {
		return cuelang.Value{}, fmt.Errorf("there is no variable %s", strings.Join(path, "."))
	}
	value := cuecontext.New().CompileBytes(found)
	return value, value.Err()
}

// SetVar sets a variable, or a field of one. A value that is there gives way: a step that is tried again says it anew.
func (v variables) SetVar(value cuelang.Value, path ...string) error {
	encoded, err := value.MarshalJSON()
	if err != nil {
		return err
	}
	all, err := encode(rawMap(v.run.Variables))
	if err != nil {
		return err
	}
	if all, err = insert(all, path, encoded); err != nil {
		return err
	}
	if len(all) > maxWorkflow {
		return failed(ReasonOutput, "the variables of the workflow would have %d bytes; at most %d are allowed", len(all), maxWorkflow)
	}
	fresh := map[string]apiextensionsv1.JSON{}
	if err := json.Unmarshal(all, &fresh); err != nil {
		return err
	}
	v.run.Variables = fresh
	return nil
}

// GetMutableValue finds what the step noted in an earlier try.
func (v variables) GetMutableValue(path ...string) string {
	return v.run.step(v.step).Notes[strings.Join(path, ".")]
}

// SetMutableValue notes something for later tries of the step.
func (v variables) SetMutableValue(data string, path ...string) {
	status := v.run.step(v.step)
	if status.Notes == nil {
		status.Notes = map[string]string{}
	}
	status.Notes[strings.Join(path, ".")] = data
}

// DeleteMutableValue forgets what the step noted.
func (v variables) DeleteMutableValue(path ...string) {
	delete(v.run.step(v.step).Notes, strings.Join(path, "."))
}

// GetStore would give the ConfigMap.
func (variables) GetStore() *corev1.ConfigMap { return &corev1.ConfigMap{} }

// StoreRef would refer to the ConfigMap.
func (variables) StoreRef() *corev1.ObjectReference { return nil }

// Commit has nothing to do: the caller keeps the run.
func (variables) Commit(context.Context) error { return nil }

// IncreaseCountValueInMemory never counts: how often a step is tried is not the engine's to decide.
func (variables) IncreaseCountValueInMemory(...string) int { return 0 }

// SetValueInMemory keeps nothing, since memory ends with the process.
func (variables) SetValueInMemory(any, ...string) {}

// GetValueInMemory finds nothing.
func (variables) GetValueInMemory(...string) (any, bool) { return nil, false }

// DeleteValueInMemory has nothing to delete.
func (variables) DeleteValueInMemory(...string) {}
