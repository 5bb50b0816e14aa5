package evaluate

import (
	"errors"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/render"
)

// operation is what is asked.
type operation int

const (
	checkDefinitions operation = iota + 1
	check
	renderAll
	judge
	judgeTraits
	after
	prepare
)

// answerer answers questions in a worker process.
type answerer struct {
	compiler *render.Compiler
}

func newAnswerer() *answerer {
	return &answerer{compiler: render.NewCompiler(cue.Options{})}
}

func (a *answerer) answer(asked question) answer {
	got, err := a.evaluate(asked)
	if err != nil {
		return answer{Fault: faultOf(err)}
	}
	return got
}

func (a *answerer) evaluate(asked question) (answer, error) {
	request, err := a.request(asked.Work)
	if err != nil || asked.Operation == checkDefinitions {
		return answer{}, err
	}
	switch asked.Operation {
	case check:
		return answer{}, inProperties(render.Check(request))
	case prepare:
		prepared, err := render.Prepare(request)
		if err != nil {
			return answer{}, inProperties(err)
		}
		return answer{Properties: prepared.Properties()}, nil
	case renderAll:
		return renderWork(request)
	}
	objects, err := decodeObjects(asked.Rendered.Objects)
	if err != nil {
		return answer{}, err
	}
	rendering := render.Resume(request, asked.Rendered.Properties, objects)
	switch asked.Operation {
	case judge:
		judgement, err := rendering.Judge(request.Context)
		if err != nil {
			return answer{}, err
		}
		return judgementAnswer(judgement)
	case judgeTraits:
		judgements, err := rendering.JudgeTraits(request.Context)
		return traitJudgementAnswer(judgements), err
	case after:
		return afterAnswer(rendering.After(request.Context))
	}
	return answer{}, errors.New("the worker process does not know what it was asked: it is of another version than the program")
}

// request compiles the definitions of a work. All that are broken are found at once.
func (a *answerer) request(sent work) (render.Request, error) {
	context, err := sent.Context.decode()
	if err != nil {
		return render.Request{}, err
	}
	request := render.Request{Type: sent.Type, Properties: sent.Properties, Context: context}
	var broken []error
	if len(sent.Definition.Files) == 0 && len(sent.Traits) > 0 {
		// only traits are asked about
	} else if request.Component, err = a.compiler.Component(sent.Definition); err != nil {
		broken = append(broken, &DefinitionError{Kind: "ComponentDefinition", Name: sent.Definition.Name, Err: err})
	}
	for _, trait := range sent.Traits {
		compiled, err := a.compiler.Trait(trait.Definition)
		if err != nil {
			broken = append(broken, &DefinitionError{Kind: "TraitDefinition", Name: trait.Definition.Name, Err: err})
		}
		request.Traits = append(request.Traits, render.AppliedTrait{Type: trait.Type, Definition: compiled, Properties: trait.Properties})
	}
	return request, errors.Join(broken...)
}

func renderWork(request render.Request) (answer, error) {
	prepared, err := render.Prepare(request)
	if err != nil {
		return answer{}, inProperties(err)
	}
	rendering, err := prepared.Render()
	if err != nil {
		return answer{}, err
	}
	objects, err := encodeObjects(rendering.Objects)
	if err != nil {
		return answer{}, err
	}
	return answer{
		Objects: objects, Properties: rendering.Properties, Dispatcher: rendering.Dispatcher, Warnings: rendering.Warnings(), Pending: rendering.Pending, Reads: rendering.Reads,
		HasHealth: rendering.HasHealth(), ReadsOutputs: rendering.ReadsOutputs(), HasAfter: rendering.HasAfter(),
	}, nil
}

func afterAnswer(objects []render.Object, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	encoded, err := encodeObjects(objects)
	return answer{Objects: encoded}, err
}

func inProperties(err error) error {
	if err == nil {
		return nil
	}
	return &PropertiesError{Err: err}
}
