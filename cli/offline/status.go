package offline

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/evaluate"
	"wheelwright.dev/wheelwright/shared/vela"
)

// Status is what definitions say of live objects.
type Status struct {
	IsHealthy bool           `json:"isHealthy"`
	Message   string         `json:"message"`
	Exports   map[string]any `json:"exports,omitempty"`
	// Traits that have an opinion of their own.
	Traits []TraitStatus `json:"traits,omitempty"`
	// Objects that traits of the phase post add, once the component is healthy.
	Objects []any `json:"objects,omitempty"`
}

// TraitStatus is what one trait says of its objects.
type TraitStatus struct {
	Type      string `json:"type"`
	IsHealthy bool   `json:"isHealthy"`
	Message   string `json:"message"`
}

// Status judges the rendering over live objects from a file; without a file, over the status, output and outputs that the
// context holds. The file is a map by output name; each entry is a live object or, without a kind, its status. An
// output's statusPaths are followed in a live object.
func (r *Result) Status(ctx context.Context, file string) (*Status, error) {
	live, err := r.live(ctx, file)
	if err != nil {
		return nil, err
	}
	work := r.work
	if work.Context, err = r.judgedContext(live); err != nil {
		return nil, err
	}
	if missing := r.missing(work.Context); missing != "" {
		return &Status{Message: missing}, nil
	}
	judgement, err := r.bench.evaluator.Judge(ctx, work, r.Rendering)
	if err != nil {
		return nil, err
	}
	status := &Status{IsHealthy: judgement.Healthy, Message: judgement.Message, Exports: judgement.Exports}
	if judgement.ExportsError != nil {
		return nil, judgement.ExportsError
	}
	traits, err := r.bench.evaluator.JudgeTraits(ctx, work, r.Rendering)
	if err != nil {
		return nil, err
	}
	for _, trait := range traits {
		status.Traits = append(status.Traits, TraitStatus{Type: trait.Type, IsHealthy: trait.Healthy, Message: trait.Message})
	}
	return status, r.addAfter(ctx, status, work)
}

// missing is why the component is not healthy whatever its definition says, or "": outputs wait, or components among them are
// not healthy.
func (r *Result) missing(live cue.Context) string {
	if waiting := r.Waiting(); len(waiting) > 0 {
		return strings.Join(waiting, "; ")
	}
	for _, object := range r.Objects {
		if !cue.IsComponent(object.Object) {
			continue
		}
		status, _ := live.Outputs[object.Name]["status"].(map[string]any)
		if healthy, _ := status["isHealthy"].(bool); !healthy {
			return fmt.Sprintf("output %s, Component %s, is not healthy", object.Name, object.Object.GetName())
		}
	}
	return ""
}

func (r *Result) addAfter(ctx context.Context, status *Status, work evaluate.Work) error {
	if !status.IsHealthy {
		return nil
	}
	added, err := r.bench.evaluator.After(ctx, work, r.Rendering)
	if err != nil {
		return err
	}
	for _, object := range added {
		status.Objects = append(status.Objects, object.Object.Object)
	}
	return nil
}

// live gives what is live by output name, from the file or else from the context.
func (r *Result) live(ctx context.Context, file string) (map[string]any, error) {
	values := r.work.Context.Values
	if file != "" {
		var err error
		if values, err = readMap(ctx, file); err != nil {
			return nil, err
		}
	}
	live := map[string]any{}
	if file == "" {
		copyMap(live, values["status"])
	} else {
		for name, entry := range values {
			if name != "outputs" && name != "status" {
				live[name] = entry
			}
		}
		copyMap(live, values["status"])
	}
	copyMap(live, values["outputs"])
	if main, ok := values["output"]; ok {
		live[vela.MainOutput] = main
	}
	return live, nil
}

func copyMap(into map[string]any, from any) {
	fields, _ := from.(map[string]any)
	for name, entry := range fields {
		into[name] = entry
	}
}

// judgedContext puts what is live where definitions look for it.
func (r *Result) judgedContext(live map[string]any) (cue.Context, error) {
	judged := r.work.Context.Without("status", "output", "outputs")
	judged.Status = map[string]map[string]any{}
	judged.Outputs = map[string]map[string]any{}
	for name, entry := range live {
		if _, ok := entry.(map[string]any); !ok {
			return cue.Context{}, fmt.Errorf("what is live of output %q must be a map: the object or its status", name)
		}
	}
	for _, object := range r.Objects {
		entry, given := live[object.Name].(map[string]any)
		if !given {
			entry, given = live[object.Declared].(map[string]any)
		}
		if !given {
			judged.Status[object.Name] = map[string]any{}
			continue
		}
		judged.Status[object.Name], judged.Outputs[object.Name] = seen(object.Output, entry)
	}
	return judged, nil
}

// seen gives the values for context.status, and the live object. An entry without a kind is a part of the object where it has a
// status, and else the object's status, or the values themselves as statusPaths name them.
func seen(output cue.Output, entry map[string]any) (status, object map[string]any) {
	status = map[string]any{}
	object = entry
	if _, part := entry["status"].(map[string]any); part && entry["kind"] == nil {
		object = maps.Clone(output.Object.Object)
		copyMap(object, entry)
	}
	if object["kind"] == nil {
		object = maps.Clone(output.Object.Object)
		object["status"] = entry
		copyMap(status, entry)
	} else if len(output.StatusPaths) == 0 {
		copyMap(status, object["status"])
	}
	for _, path := range output.StatusPaths {
		if value, ok := path.Find(object); ok {
			status[path.Name] = value
		}
	}
	return status, object
}
