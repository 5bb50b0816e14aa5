package health

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"wheelwright.dev/wheelwright/agent/object"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/cue"
)

// Object is a live object and the output that rendered it.
type Object struct {
	Output cue.Output
	// Live is nil until the object was seen as the last apply left it.
	Live *unstructured.Unstructured
}

// Verdict is the health of a Component.
type Verdict struct {
	Healthy bool
	// Reason is one of the reasons of package condition.
	Reason  string
	Message string
	// Exports and ExportsError are those of cue.Judgement.
	Exports      map[string]any
	ExportsError error
}

// Evaluator is a definition with what it was given.
type Evaluator interface {
	HasHealth() bool
	ReadsOutputs() bool
	Judge(ctx context.Context, seen cue.Context) (cue.Judgement, error)
}

// Judge judges objects by their definition, and Components among them by themselves. What the definition has seen needs the Component's fields only: status and outputs are
// filled in here. The error is a *cue.Error when the definition's expression is broken.
func Judge(ctx context.Context, definition Evaluator, seen cue.Context, objects []Object) (Verdict, error) {
	if waits := rollingOut(objects); waits != nil {
		return *waits, nil
	}
	for _, judged := range objects {
		if verdict := ofComponent(judged.Live); verdict != nil {
			return *verdict, nil
		}
	}
	if !definition.HasHealth() {
		if verdict, err := byStatus(objects); err != nil || !verdict.Healthy {
			return verdict, err
		}
	}
	seen.Status = statusOf(objects)
	if definition.ReadsOutputs() {
		seen.Outputs = outputsOf(objects)
	}
	judgement, err := definition.Judge(ctx, seen)
	if err != nil {
		return Verdict{}, err
	}
	return verdictOf(judgement), nil
}

// JudgeSome judges some of a Component's objects by what is common to Kubernetes' kinds: a definition speaks for all of them
// only.
func JudgeSome(objects []Object) (Verdict, error) {
	if waits := rollingOut(objects); waits != nil {
		return *waits, nil
	}
	return byStatus(objects)
}

// rollingOut is the verdict as long as an object cannot be judged, and nil from then on.
func rollingOut(objects []Object) *Verdict {
	for _, judged := range objects {
		if reason := pending(judged); reason != "" {
			return &Verdict{Reason: condition.ReasonRollingOut, Message: reason}
		}
	}
	return nil
}

// AllLive is a context with all that is live of objects, which must all be there.
func AllLive(seen cue.Context, objects []Object) cue.Context {
	seen.Status, seen.Outputs = statusOf(objects), outputsOf(objects)
	return seen
}

// pending says what an object that was applied still waits for before it can be judged, or "".
func pending(judged Object) string {
	key := object.KeyOf(judged.Output.Object)
	if judged.Live == nil {
		return fmt.Sprintf("%s was applied and has not been seen since.", key)
	}
	if missing := observed(judged.Live); missing != "" {
		return fmt.Sprintf("%s is not up to date: %s.", key, missing)
	}
	if missing := rolledOut(judged.Live); missing != "" {
		return fmt.Sprintf("%s is rolling out: %s.", key, missing)
	}
	return ""
}

// ofComponent is the verdict about a Component that is an output and not healthy, or nil: whatever a definition says, nothing is
// healthy whose parts are not.
func ofComponent(live *unstructured.Unstructured) *Verdict {
	if healthy, _, _ := unstructured.NestedBool(live.Object, "status", "isHealthy"); healthy || !cue.IsComponent(live) {
		return nil
	}
	message := object.KeyOf(live).String() + " is not healthy"
	conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	for _, one := range conditions {
		if fields, _ := one.(map[string]any); fields["type"] == condition.Ready {
			message = fmt.Sprintf("%s (%v)", message, fields["reason"])
		}
	}
	return &Verdict{Reason: condition.ReasonUnhealthy, Message: message + "; its own conditions say more."}
}

// byStatus judges by what is common to Kubernetes' kinds.
func byStatus(objects []Object) (Verdict, error) {
	for _, judged := range objects {
		if cue.IsComponent(judged.Live) {
			continue // judged already, and Ready asks for more than health
		}
		key := object.KeyOf(judged.Live)
		result, err := status.Compute(judged.Live)
		if err != nil {
			return Verdict{}, fmt.Errorf("computing the status of %s: %w", key, err)
		}
		if result.Status != status.CurrentStatus {
			return Verdict{
				Reason:  condition.ReasonUnhealthy,
				Message: fmt.Sprintf("%s is %s: %s.", key, result.Status, result.Message),
			}, nil
		}
	}
	return Verdict{Healthy: true}, nil
}

// statusOf finds the values that each output's statusPaths name. An output without any offers its whole status.
func statusOf(objects []Object) map[string]map[string]any {
	found := make(map[string]map[string]any, len(objects))
	for _, judged := range objects {
		if len(judged.Output.StatusPaths) == 0 {
			whole, ok := judged.Live.Object["status"].(map[string]any)
			if !ok {
				whole = map[string]any{} // null would be a conflict where absence is none
			}
			found[judged.Output.Name] = whole
			continue
		}
		values := map[string]any{}
		for _, path := range judged.Output.StatusPaths {
			if value, ok := path.Find(judged.Live.Object); ok {
				values[path.Name] = value
			}
		}
		found[judged.Output.Name] = values
	}
	return found
}

func outputsOf(objects []Object) map[string]map[string]any {
	outputs := make(map[string]map[string]any, len(objects))
	for _, judged := range objects {
		outputs[judged.Output.Name] = judged.Live.Object
	}
	return outputs
}

func verdictOf(judgement cue.Judgement) Verdict {
	verdict := Verdict{
		Healthy:      judgement.Healthy,
		Reason:       condition.ReasonUnhealthy,
		Message:      judgement.Message,
		Exports:      judgement.Exports,
		ExportsError: judgement.ExportsError,
	}
	switch {
	case verdict.Healthy:
		verdict.Reason = condition.ReasonHealthy
		if verdict.Message == "" {
			verdict.Message = "All objects are as applied and healthy."
		}
	case verdict.Message == "":
		verdict.Message = "The definition's isHealthy is false for the live objects."
	}
	return verdict
}
