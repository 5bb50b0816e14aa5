package workflow

import (
	"context"
	"fmt"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/build"
	cuexruntime "github.com/kubevela/pkg/cue/cuex/runtime"
	wferrors "github.com/kubevela/workflow/pkg/errors"
	providertypes "github.com/kubevela/workflow/pkg/providers/types"
)

// actionPackage is the provider without a name, which is the one that a bare `#do` means.
type actionPackage struct {
	actions map[string]Action
}

var _ cuexruntime.Package = actionPackage{}

func (actionPackage) GetName() string               { return "" }
func (actionPackage) GetPath() string               { return "" }
func (actionPackage) GetTemplates() []string        { return nil }
func (actionPackage) GetImports() []*build.Instance { return nil }
func (p actionPackage) GetProviderFn(do string) cuexruntime.ProviderFn {
	return actionFunction{name: do, actions: p.actions}
}

type actionFunction struct {
	name    string
	actions map[string]Action
}

// Call asks the action how far it is. What it returns is in $returns, and in context.steps of later steps.
func (f actionFunction) Call(ctx context.Context, value cuelang.Value) (result cuelang.Value, err error) {
	call := callFrom(ctx)
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("it broke down: %v", failure)
		}
		if err != nil && !isActionBreak(err) {
			call.err = fmt.Errorf("%s: %w", f.name, err)
		}
	}()
	action := f.actions[f.name]
	if action == nil {
		return value, failed(ReasonRendering, "%s", unknownAction(f.name, f.actions))
	}
	parameters, err := parametersOf(value)
	if err != nil {
		return value, err
	}
	identity := call.pass.identity(call.step.Name)
	identity.Call = value.Path().String()
	outcome, err := action(ctx, Request{
		Identity: identity, Parameters: parameters, Client: call.pass.event.Client, Config: call.pass.event.Config,
	})
	if err != nil {
		return value, err
	}
	if !outcome.Done {
		call.action, call.recheck = true, outcome.RecheckAfter
		providertypes.RuntimeParamsFrom(ctx).Action.Wait(outcome.Message)
		return value, wferrors.GenericActionError(wferrors.ActionWait)
	}
	providertypes.RuntimeParamsFrom(ctx).Action.Message(outcome.Message)
	returns, err := encode(orEmpty(outcome.Returns))
	if err != nil {
		return value, &FailureError{Reason: ReasonOutput, Err: fmt.Errorf("what it returns cannot be encoded: %w", err)}
	}
	return fill(value, "$returns", returns)
}

// notParameters are fields of a template that belong to no action.
var notParameters = map[string]bool{parameterField: true, parametersField: true, "context": true, "$returns": true}

// parametersOf are the fields beside #do: those in $params where there is one, and else all of them.
func parametersOf(value cuelang.Value) (map[string]any, error) {
	explicit := value.LookupPath(cuelang.ParsePath("$params"))
	if explicit.Exists() {
		value = explicit
	}
	fields, err := value.Fields()
	if err != nil {
		return nil, fmt.Errorf("its parameters cannot be read: %s", reasonOf(err))
	}
	parameters := map[string]any{}
	for fields.Next() {
		name, field := fields.Selector().Unquoted(), fields.Value()
		own := field.LookupPath(cuelang.ParsePath(doField)).Exists()
		if own || !explicit.Exists() && notParameters[name] {
			continue
		}
		encoded, err := field.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("%s is not known: %s", name, reasonOf(err))
		}
		parameters[name] = plain(encoded)
	}
	return parameters, nil
}
