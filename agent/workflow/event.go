package workflow

import (
	"context"
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/shared/definition"
)

// Kind is what happened to a Component.
type Kind string

// Kinds of events (KEP-2.2). Create and upgrade run the block create, delete runs the block delete.
const (
	Create  Kind = "create"
	Upgrade Kind = "upgrade"
	Delete  Kind = "delete"
)

// block is the name of the list that an event runs.
func (k Kind) block() string {
	if k == Delete {
		return "delete"
	}
	return "create"
}

// boundary is the type of the step that every list of the kind has: the one that applies, or takes away.
func (k Kind) boundary() string {
	if k == Delete {
		return TypeDispatchDelete
	}
	return TypeDispatch
}

// Component is whose workflow it is.
type Component struct {
	Namespace string
	Name      string
	UID       types.UID
}

// Event is one lifecycle event of one Component, with all that a pass needs. Definition, Kind and Context must be the same
// in every pass over one event: the caller pins them when the event begins.
type Event struct {
	Component Component
	// ID is the same in every pass over the event, and another one for every other event of the Component.
	ID   string
	Kind Kind
	// Definition is the component definition; the workflow block is in one of its files.
	Definition definition.Definition
	Context    Context
	// Run is what the last pass gave, of this event or of an earlier one, or nil.
	Run *Run

	// Actions do what the built-in steps stand for.
	Actions Actions
	// Loader finds the definitions of custom steps.
	Loader Loader
	// Client is what Jobs and the engine's kube provider go through, with the rights that the workflow is to have. It must
	// read Jobs from the API server or from a cache that watches them.
	Client client.Client
	// Config makes clients of other kinds, with the rights of Client. Only actions use it; those that need it say so.
	Config *rest.Config
	// Save, if any, stores the run in the middle of a pass: right after a step that acts outside of the Component has
	// finished. Without it, a process that ends before the pass does has such a step run once more. An error ends the pass.
	Save func(ctx context.Context, run Run) error
}

// Context is what the KEP's context table lists, beside what the run itself knows.
type Context struct {
	ParamsChanged     bool
	DefinitionChanged bool
	TraitsChanged     bool
	// CurrentParams and CurrentAPIVersion are those of the generation before. On delete they are the last known ones.
	CurrentParams     map[string]any
	CurrentAPIVersion string
	// TargetParams and TargetAPIVersion are those that are being applied. They are not offered on delete.
	TargetParams     map[string]any
	TargetAPIVersion string
	// Parameters are context.parameters. Nil means the target's, and on delete the current ones.
	Parameters map[string]any
	// Workflow are the keys that earlier events left.
	Workflow map[string]any
	// Values are whatever else a definition sees, as appName. The fields that the table lists win over them.
	Values map[string]any
}

// Progress is how far an action has come.
type Progress struct {
	Done bool
	// Message says what it waits for.
	Message string
	// RecheckAfter is when to ask again though nothing happens. 0 means that an event will tell.
	RecheckAfter time.Duration
}

// Actions are the built-in steps that only the caller can do. None of them blocks: what is not done yet is asked for again
// in a later pass. An error is tried again after a while, unless it is a *FailureError.
type Actions interface {
	// Dispatch renders over workflow, which is context.workflow as the event has it so far, and applies.
	Dispatch(ctx context.Context, workflow map[string]any) (Progress, error)
	// DispatchDelete removes all that the Component owns. It is done when all of it is gone.
	DispatchDelete(ctx context.Context) (Progress, error)
	// Healthy tells whether the outputs of those names are, or all of them where there are no names.
	Healthy(ctx context.Context, names []string) (Progress, error)
	// Outputs are context.outputs: what was applied, by output name. They are asked for only after Dispatch was done.
	Outputs(ctx context.Context) (map[string]any, error)
}

// Loader finds the definition of a custom step.
type Loader interface {
	LoadStep(ctx context.Context, name string) (definition.Definition, error)
}

// Result is what a pass leads to.
type Result struct {
	// Run is to be kept, and given to the next pass.
	Run Run
	// Workflow is context.workflow with the keys of this event, merged key by key.
	Workflow map[string]any
	// RecheckAfter is when another pass is useful though nothing happens. 0 means that only an event makes it so.
	RecheckAfter time.Duration
}

// Request is what an Action is asked for.
type Request struct {
	Identity Identity
	// Parameters are the fields beside #do in the step's template.
	Parameters map[string]any
	// Client acts with the rights that the workflow has.
	Client client.Client
	// Config makes clients of other kinds, with the same rights. It may be nil, and must not be changed.
	Config *rest.Config
}

// Outcome is what an Action has come to.
type Outcome struct {
	Progress
	// Returns is what later steps find in context.steps, once it is done.
	Returns map[string]any
}

// Action is what `#do: "name"` without a #provider does. It must not block: what is not done yet is asked for again, with the
// same Identity, and so is what was done just before the process ended. An error is tried again after a while, unless it is
// a *FailureError.
type Action func(ctx context.Context, request Request) (Outcome, error)

// FailureError ends a step for good: trying again would not help.
type FailureError struct {
	// Reason is one of the reasons of steps. Empty means ReasonAction.
	Reason string
	Err    error
}

func (e *FailureError) Error() string { return e.Err.Error() }

func (e *FailureError) Unwrap() error { return e.Err }

// encode is value as JSON. What comes from JSON or CUE always can be.
func encode(value any) (json.RawMessage, error) { return json.Marshal(value) }
