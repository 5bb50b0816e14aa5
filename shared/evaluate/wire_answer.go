package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/render"
)

// answer is what travels back. Of its fields those are set that the question asks for, or Fault.
type answer struct {
	Fault *fault

	Objects                           []object
	Properties, Dispatcher            []byte
	HasHealth, ReadsOutputs, HasAfter bool
	Warnings                          []string
	Pending                           []render.Pending
	Reads                             render.Reads

	Judgements []judgement
}

type judgement struct {
	// Trait is the type of the trait whose judgement it is.
	Trait        string
	Healthy      bool
	Message      string
	Exports      []byte
	ExportsFault *fault
}

// fault is an error on its way: each layer that a caller may ask for by type is a field.
type fault struct {
	Definitions []definitionFault
	Properties  bool
	// Trait is the place of the trait that the problems are about.
	Trait    string
	Problems []cue.Problem
	// Text is of an error that is about no definition and no input.
	Text string
}

type definitionFault struct {
	Kind, Name string
	Fault      fault
}

func faultOf(err error) *fault {
	if err == nil {
		return nil
	}
	found := &fault{}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			found.Definitions = append(found.Definitions, faultOf(one).Definitions...)
		}
		return found
	}
	if broken := (*DefinitionError)(nil); errors.As(err, &broken) {
		found.Definitions = []definitionFault{{Kind: broken.Kind, Name: broken.Name, Fault: *faultOf(broken.Err)}}
		return found
	}
	if given := (*PropertiesError)(nil); errors.As(err, &given) {
		found.Properties = true
	}
	if trait := (*render.Error)(nil); errors.As(err, &trait) {
		found.Trait = trait.Trait
	}
	if problems := (*cue.Error)(nil); errors.As(err, &problems) {
		found.Problems = problems.Problems
	} else {
		found.Text = err.Error()
	}
	return found
}

func (f *fault) err() error {
	if f == nil {
		return nil
	}
	if len(f.Definitions) > 0 {
		var broken []error
		for _, one := range f.Definitions {
			broken = append(broken, &DefinitionError{Kind: one.Kind, Name: one.Name, Err: one.Fault.err()})
		}
		if len(broken) == 1 {
			return broken[0]
		}
		return errors.Join(broken...)
	}
	var err error = &cue.Error{Problems: f.Problems}
	if f.Text != "" {
		err = errors.New(f.Text)
	}
	if f.Trait != "" {
		err = &render.Error{Trait: f.Trait, Err: err}
	}
	if f.Properties {
		err = &PropertiesError{Err: err}
	}
	return err
}

func (a answer) err() error { return a.Fault.err() }

func (a answer) rendering() (*Rendering, error) {
	objects, err := decodeObjects(a.Objects)
	if err != nil {
		return nil, err
	}
	return &Rendering{
		Objects: objects, Properties: a.Properties, Dispatcher: a.Dispatcher, Warnings: a.Warnings, Pending: a.Pending, Reads: a.Reads,
		HasHealth: a.HasHealth, ReadsOutputs: a.ReadsOutputs, HasAfter: a.HasAfter,
	}, nil
}

func judgementAnswer(judged cue.Judgement) (answer, error) {
	sent := judgement{Healthy: judged.Healthy, Message: judged.Message, ExportsFault: faultOf(judged.ExportsError)}
	if judged.Exports != nil {
		var err error
		if sent.Exports, err = json.Marshal(judged.Exports); err != nil {
			return answer{}, fmt.Errorf("encoding the exports: %w", err)
		}
	}
	return answer{Judgements: []judgement{sent}}, nil
}

func (a answer) judgement() (cue.Judgement, error) {
	if len(a.Judgements) != 1 {
		return cue.Judgement{}, fmt.Errorf("a worker process gave %d judgements, want 1", len(a.Judgements))
	}
	sent := a.Judgements[0]
	judged := cue.Judgement{Healthy: sent.Healthy, Message: sent.Message, ExportsError: sent.ExportsFault.err()}
	if sent.Exports != nil {
		if err := utiljson.Unmarshal(sent.Exports, &judged.Exports); err != nil {
			return cue.Judgement{}, fmt.Errorf("decoding the exports: %w", err)
		}
	}
	return judged, nil
}

func traitJudgementAnswer(judged []render.TraitJudgement) answer {
	var sent answer
	for _, one := range judged {
		sent.Judgements = append(sent.Judgements, judgement{Trait: one.Type, Healthy: one.Healthy, Message: one.Message})
	}
	return sent
}

func (a answer) traitJudgements() ([]render.TraitJudgement, error) {
	var judged []render.TraitJudgement
	for _, sent := range a.Judgements {
		judged = append(judged, render.TraitJudgement{Type: sent.Trait, Judgement: cue.Judgement{Healthy: sent.Healthy, Message: sent.Message}})
	}
	return judged, nil
}
