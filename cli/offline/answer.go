package offline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/worker"
)

// kindReader is the kind of the workers that look at definitions as their authors wrote them.
const kindReader = "read-definitions"

// question asks a worker to vet one of the definitions in a folder, or for its parameters.
type question struct {
	Definitions string
	// Look tells one look at the folder from the next: its files may have changed.
	Look int64
	// Number of the definition to vet among those of the folder, counted from 1.
	Number int
	// OnlyBroken asks for nothing but what keeps it from rendering.
	OnlyBroken bool
	// Schema asks for parameters.
	Schema *SchemaOptions
}

// answer has what was asked for.
type answer struct {
	Problems   []cue.Problem
	Parameters Parameters
	// Fault are the problems of a definition that has no schema, and FaultText any other error.
	Fault     []cue.Problem
	FaultText string
}

// answerer answers in a worker. It keeps the folder for as long as one look at it takes.
type answerer struct {
	dir    string
	look   int64
	vetter *vetter
}

func (a *answerer) answer(asked question) answer {
	if asked.Schema != nil {
		return schemaAnswer(parametersOf(*asked.Schema))
	}
	if a.vetter == nil || a.dir != asked.Definitions || a.look != asked.Look {
		vetter, _, err := readFolder(asked.Definitions)
		if err != nil {
			return answer{FaultText: err.Error()}
		}
		a.dir, a.look, a.vetter = asked.Definitions, asked.Look, vetter
	}
	if asked.Number < 1 || asked.Number > len(a.vetter.read) {
		return answer{FaultText: "the folder of definitions was changed while it was looked at: try again"}
	}
	one := a.vetter.read[asked.Number-1]
	if asked.OnlyBroken {
		return answer{Problems: one.place.inFolder(a.vetter.broken(one))}
	}
	return answer{Problems: one.place.inFolder(a.vetter.vet(one))}
}

func schemaAnswer(schema *Schema, err error) answer {
	fault := (*cue.Error)(nil)
	switch {
	case errors.As(err, &fault):
		return answer{Fault: fault.Problems, FaultText: err.Error()}
	case err != nil:
		return answer{FaultText: err.Error()}
	}
	var table, encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := errors.Join(schema.Print(&table), encoder.Encode(schema)); err != nil {
		return answer{FaultText: fmt.Sprintf("writing the schema: %v", err)}
	}
	return answer{Parameters: Parameters{Table: table.String(), JSONSchema: encoded.String()}}
}

// faultError is an error with the words of the one that a worker found.
type faultError struct {
	text string
	err  error
}

func (e *faultError) Error() string { return e.text }

func (e *faultError) Unwrap() error { return e.err }

func (a answer) err() error {
	switch {
	case len(a.Fault) > 0:
		return &faultError{text: a.FaultText, err: &cue.Error{Problems: a.Fault}}
	case a.FaultText != "":
		return errors.New(a.FaultText)
	}
	return nil
}

// ask has a worker answer. Name says what is evaluated, where it takes too much.
func (b *Workbench) ask(ctx context.Context, name string, asked question) (answer, error) {
	got, err := b.readers.Call(ctx, name, asked)
	if exceeded := (*worker.Exceeded)(nil); errors.As(err, &exceeded) {
		return answer{}, &cue.Error{Problems: []cue.Problem{{Message: fmt.Sprintf("the evaluation of %s %s and was ended", name, exceeded)}}}
	}
	if err != nil {
		return answer{}, err
	}
	return got, got.err()
}
