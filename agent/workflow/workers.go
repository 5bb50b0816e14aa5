package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/evaluate"
	"wheelwright.dev/wheelwright/shared/worker"
)

// workerKind of the worker processes.
const workerKind = "workflow"

// Workers are an Evaluator that evaluates in worker processes: what a workflow block is given can take any time and any memory,
// and in a process of its own it can be ended.
type Workers struct {
	pool *worker.Pool[question, reply]
}

var _ Evaluator = (*Workers)(nil)

// question travels to a worker as JSON, since gob would not tell a number that is 0 from one that is not there.
type question struct {
	// Query is a Query, or empty where a condition is asked for.
	Query      []byte
	Expression string
	Scope      []byte
}

type reply struct {
	Element []byte
	Holds   bool
	// Problems are those of a *cue.Error, and Failure is any other one.
	Problems []cue.Problem
	Failure  string
}

// NewWorkers makes Workers. The program must call ServeIfWorker first thing in main.
func NewWorkers(options worker.Options) *Workers {
	options.Kind = workerKind
	return &Workers{pool: worker.NewPool[question, reply](options)}
}

// ServeIfWorker evaluates for another process, where this one was started to do so, and ends it then. Otherwise it returns at
// once.
func ServeIfWorker() { worker.Serve(workerKind, answer) }

// Start keeps the Workers until ctx ends, and then ends their processes.
func (w *Workers) Start(ctx context.Context) error {
	<-ctx.Done()
	w.pool.Close()
	return nil
}

// Element asks a worker. What took too much is an *evaluate.LimitError.
func (w *Workers) Element(ctx context.Context, query Query) (Element, error) {
	encoded, err := encode(query)
	if err != nil {
		return Element{}, fmt.Errorf("encoding a question about definition %s: %w", query.Definition.Name, err)
	}
	got, err := w.ask(ctx, query.Definition.Hash(), "workflow."+query.Block+" of definition "+query.Definition.Name, question{Query: encoded})
	var element Element
	if got.Element != nil {
		if decoding := json.Unmarshal(got.Element, &element); decoding != nil {
			return Element{}, fmt.Errorf("decoding an element of workflow.%s: %w", query.Block, decoding)
		}
	}
	return element, err
}

// Condition asks a worker. What took too much is an *evaluate.LimitError.
func (w *Workers) Condition(ctx context.Context, expression string, scope Scope) (bool, error) {
	encoded, err := encode(scope)
	if err != nil {
		return false, fmt.Errorf("encoding what a condition sees: %w", err)
	}
	got, err := w.ask(ctx, expression, "the condition "+expression, question{Expression: expression, Scope: encoded})
	return got.Holds, err
}

func (w *Workers) ask(ctx context.Context, key, name string, asked question) (reply, error) {
	got, err := w.pool.Call(ctx, key, asked)
	switch exceeded := (*worker.Exceeded)(nil); {
	case errors.As(err, &exceeded):
		return reply{}, &evaluate.LimitError{Name: name, Err: exceeded}
	case err != nil:
		return reply{}, err
	case len(got.Problems) > 0:
		return got, cue.NewError(got.Problems)
	case got.Failure != "":
		return got, errors.New(got.Failure)
	}
	return got, nil
}

// answer answers in a worker.
func answer(asked question) reply {
	got, err := evaluateHere(asked)
	if wrong := (*cue.Error)(nil); errors.As(err, &wrong) {
		got.Problems = wrong.Problems
	} else if err != nil {
		got.Failure = err.Error()
	}
	return got
}

func evaluateHere(asked question) (reply, error) {
	ctx := context.Background() // a worker is ended from outside
	if len(asked.Query) == 0 {
		var scope Scope
		if err := json.Unmarshal(asked.Scope, &scope); err != nil {
			return reply{}, err
		}
		holds, err := inProcess{}.Condition(ctx, asked.Expression, scope)
		return reply{Holds: holds}, err
	}
	var query Query
	if err := json.Unmarshal(asked.Query, &query); err != nil {
		return reply{}, err
	}
	// How many elements there are is known though one cannot be evaluated.
	element, wrong := inProcess{}.Element(ctx, query)
	encoded, err := encode(element)
	if err != nil {
		return reply{}, err
	}
	return reply{Element: encoded}, wrong
}
