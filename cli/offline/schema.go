package offline

import (
	"context"
	"errors"
	"fmt"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
)

// placedContext lets defaults that read the context be decided.
const placedContext = `{name: "name", namespace: "namespace", appName: "app", componentName: "component", ...}`

// SchemaOptions say which definition's parameters to describe.
type SchemaOptions struct {
	// Definitions is the folder of definitions.
	Definitions string
	// Name of the definition.
	Name string
	// Kind is component or trait; empty looks for a component first and for a trait then.
	Kind string
}

// Parameters are the parameters of a definition, for people and for programs.
type Parameters struct {
	Table string
	// JSONSchema is indented.
	JSONSchema string
}

// ParametersOf describes the parameters of a definition. The error says which definitions there are when there is none of
// that name, and has a *cue.Error in it when the definition's files cannot be read.
func (b *Workbench) ParametersOf(ctx context.Context, options SchemaOptions) (Parameters, error) {
	got, err := b.ask(ctx, "definition "+options.Name, question{Schema: &options})
	return got.Parameters, err
}

func parametersOf(options SchemaOptions) (*Schema, error) {
	definitions, done, err := openLibrary(options.Definitions)
	if err != nil {
		return nil, err
	}
	defer done()
	def, kind, err := definitions.either(options.Kind, options.Name)
	if err != nil {
		return nil, err
	}
	read, err := readWritten(def, kind)
	if err != nil {
		return nil, fmt.Errorf("%s definition %s: %w", kind, options.Name, err)
	}
	schema, err := schemaOf(read)
	if err != nil {
		return nil, fmt.Errorf("%s definition %s: %w", kind, options.Name, err)
	}
	return schema, nil
}

// either finds a definition of a kind; without a kind, a component and else a trait.
func (l library) either(kind, name string) (definition.Trait, string, error) {
	switch kind {
	case kindComponent, kindTrait:
		found, err := l.find(kind, name)
		return found, kind, err
	case "":
	default:
		return definition.Trait{}, "", fmt.Errorf("unknown kind %q: use %s or %s", kind, kindComponent, kindTrait)
	}
	component, err := l.find(kindComponent, name)
	if err == nil {
		return component, kindComponent, nil
	}
	trait, traitErr := l.find(kindTrait, name)
	if traitErr != nil {
		return definition.Trait{}, "", errors.Join(err, traitErr)
	}
	return trait, kindTrait, nil
}

// schemaOf describes what a definition declares. It evaluates twice: as written, so that a default is shown as the author
// put it, and over a context, which decides whether there is one.
func schemaOf(read *written) (schema *Schema, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = cue.NewError([]cue.Problem{brokeDown(failure)})
		}
	}()
	bare, err := read.build("_")
	if err != nil {
		return nil, err
	}
	placed, err := read.build(placedContext)
	if err != nil {
		return nil, err
	}
	declared := read.schema(bare)
	if err := declared.Validate(); err != nil {
		return nil, cue.NewError(cue.ProblemsOf(err))
	}
	reader := schemaReader{closed: read.shape == cue.KEP}
	schema = reader.read(declared, read.schema(placed))
	schema.Dialect = "https://json-schema.org/draft/2020-12/schema"
	schema.Title = read.definition.Name
	return schema, nil
}

// brokeDown is the problem of a definition over which the CUE evaluator breaks down.
func brokeDown(failure any) cue.Problem {
	return cue.Problem{Message: fmt.Sprintf("the CUE evaluator broke down over this definition: %v; write what is unusual in it in another way", failure)}
}
