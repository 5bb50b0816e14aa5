package cue

import (
	"wheelwright.dev/wheelwright/shared/definition"
)

// Template is a compiled definition. Its methods are safe for concurrent use and never change what another call sees.
type Template struct {
	source *source
	// idle holds instances that no call is using. A call that finds none builds one.
	idle chan *instance
	// maxUses is the number of evaluations after which an instance and its CUE context are dropped.
	maxUses int
}

// Definition is what the Template was compiled from.
func (t *Template) Definition() definition.Definition { return t.source.def }

// HasHealth tells whether the definition says itself when it is healthy.
func (t *Template) HasHealth() bool { return t.source.declared["isHealthy"] != nil }

// ReadsOutputs tells whether the definition refers to context.outputs, so that a caller can save the work of putting
// them there.
func (t *Template) ReadsOutputs() bool { return t.source.readsOutputs }

// use lends an instance to one evaluation. A panic of the CUE evaluator becomes an error, and the instance is dropped, as
// nothing is known of its state.
func (t *Template) use(evaluate func(*instance) error) (err error) {
	defer Guard(t.source.def.Name, &err)
	borrowed, err := t.borrow()
	if err != nil {
		return err
	}
	err = evaluate(borrowed)
	t.giveBack(borrowed)
	return err
}

func (t *Template) borrow() (*instance, error) {
	select {
	case borrowed := <-t.idle:
		return borrowed, nil
	default:
		return newInstance(t.source)
	}
}

func (t *Template) giveBack(used *instance) {
	used.uses++
	if used.uses >= t.maxUses {
		return
	}
	select {
	case t.idle <- used:
	default:
	}
}
