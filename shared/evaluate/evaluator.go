package evaluate

import (
	"context"
	"errors"
	"strings"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/render"
	"wheelwright.dev/wheelwright/shared/worker"
)

// Options bound evaluation. Each has a default that serves; Kind is set.
type Options = worker.Options

// kind of the workers.
const kind = "evaluate"

// Evaluator evaluates in worker processes. It is safe for concurrent use.
type Evaluator struct {
	pool *worker.Pool[question, answer]
}

// New makes an Evaluator. The program must call ServeIfWorker first thing in main.
func New(options Options) *Evaluator {
	options.Kind = kind
	return &Evaluator{pool: worker.NewPool[question, answer](options)}
}

// ServeIfWorker evaluates for another process, where this one was started to do so, and ends it then. Otherwise it returns at
// once.
func ServeIfWorker() { worker.Serve(kind, newAnswerer().answer) }

// Start keeps the Evaluator until ctx ends, and then ends its workers.
func (e *Evaluator) Start(ctx context.Context) error {
	<-ctx.Done()
	e.pool.Close()
	return nil
}

// NeedLeaderElection is false: a replica that waits to lead checks as well.
func (e *Evaluator) NeedLeaderElection() bool { return false }

// Close ends the workers. Evaluations that run end first.
func (e *Evaluator) Close() { e.pool.Close() }

// Definitions finds what is wrong with the definitions of a work as such, all at once. The error joins *DefinitionErrors, or is a
// *LimitError.
func (e *Evaluator) Definitions(ctx context.Context, work Work) error {
	_, err := e.ask(ctx, question{Operation: checkDefinitions}, work)
	return err
}

// Check finds what Render would find wrong on any cluster, without the context that only a spoke has. The error is a
// *DefinitionError, a *PropertiesError or a *LimitError.
func (e *Evaluator) Check(ctx context.Context, work Work) error {
	_, err := e.ask(ctx, question{Operation: check}, work)
	return err
}

// Prepare gives the component's properties after its pre traits, without rendering. The error is one of those of Render.
func (e *Evaluator) Prepare(ctx context.Context, work Work) ([]byte, error) {
	got, err := e.ask(ctx, question{Operation: prepare}, work)
	if err != nil {
		return nil, err
	}
	return got.Properties, nil
}

// Render renders. Nothing is rendered in part, but for outputs that are Pending. The error is a *DefinitionError, a *PropertiesError, a *LimitError, or is or
// wraps a *cue.Error, unless something is wrong with the program itself.
func (e *Evaluator) Render(ctx context.Context, work Work) (*Rendering, error) {
	got, err := e.ask(ctx, question{Operation: renderAll}, work)
	if err != nil {
		return nil, err
	}
	return got.rendering()
}

// Judge evaluates health, message and exports over what is live: the context's Status and Outputs, by output name. The
// rendering is what Render gave for the same work.
func (e *Evaluator) Judge(ctx context.Context, work Work, rendering *Rendering) (cue.Judgement, error) {
	got, err := e.ask(ctx, question{Operation: judge, Rendered: renderedOf(rendering)}, work)
	if err != nil {
		return cue.Judgement{}, err
	}
	return got.judgement()
}

// JudgeTraits asks each trait that has something to say of its objects.
func (e *Evaluator) JudgeTraits(ctx context.Context, work Work, rendering *Rendering) ([]render.TraitJudgement, error) {
	got, err := e.ask(ctx, question{Operation: judgeTraits, Rendered: renderedOf(rendering)}, work)
	if err != nil {
		return nil, err
	}
	return got.traitJudgements()
}

// After runs the traits of the phase post, once the component is healthy. What they add joins no list that was applied before.
func (e *Evaluator) After(ctx context.Context, work Work, rendering *Rendering) ([]render.Object, error) {
	got, err := e.ask(ctx, question{Operation: after, Rendered: renderedOf(rendering)}, work)
	if err != nil {
		return nil, err
	}
	return decodeObjects(got.Objects)
}

// ask has a worker answer. What took too much is remembered by component and definition, so that one component that does is
// in the way of none but its like.
func (e *Evaluator) ask(ctx context.Context, asked question, work Work) (answer, error) {
	var err error
	if asked.Work, err = encodeWork(work); err != nil {
		return answer{}, err
	}
	key := strings.Join([]string{work.Context.Namespace, work.Context.Name, work.Definition.Hash()}, "/")
	got, err := e.pool.Call(ctx, key, asked)
	if exceeded := (*worker.Exceeded)(nil); errors.As(err, &exceeded) {
		return answer{}, &LimitError{Name: namesOf(work), Err: exceeded}
	}
	if err != nil {
		return answer{}, err
	}
	return got, got.err()
}

// namesOf are the definitions of a work, any of which may be what takes too much.
func namesOf(work Work) string {
	name := "definition " + work.Definition.Name
	for i, trait := range work.Traits {
		if i == 0 {
			name += " with the traits "
		} else {
			name += ", "
		}
		name += trait.Type
	}
	return name
}

// Component is a work that has a definition and nothing else.
func Component(def definition.Definition) Work {
	return Work{Type: def.Name, Definition: def}
}
