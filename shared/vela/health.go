package vela

import (
	"fmt"

	cuelang "cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"wheelwright.dev/wheelwright/shared/cue"
)

// healthKeys are all that such an expression sees of the context, beside the objects.
var healthKeys = []string{"name", "appName", "appRevision"}

// Judge evaluates healthPolicy and customStatus over context.Outputs, which are live objects by output name; a component's
// main object is MainOutput. Without a healthPolicy everything is healthy. An expression that reads what is not there is
// not decided, which is not healthy and no error. The error is a *cue.Error.
func (t *Template) Judge(context cue.Context, properties []byte) (cue.Judgement, error) {
	fields, err := t.healthContext(context)
	if err != nil {
		return cue.Judgement{}, err
	}
	judgement := cue.Judgement{Healthy: true}
	if t.HasHealth() {
		if judgement, err = t.isHealthy(fields, properties); err != nil {
			return cue.Judgement{}, err
		}
	}
	if message := t.messageOf(fields, properties, judgement.Healthy); message != "" {
		judgement.Message = message
	}
	return judgement, nil
}

func (t *Template) healthContext(context cue.Context) (map[string]any, error) {
	all, err := contextOf(context, nil)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{"status": map[string]any{}}
	for _, key := range healthKeys {
		fields[key] = all[key]
	}
	others := map[string]any{}
	for name, live := range context.Outputs {
		if name == MainOutput {
			fields[outputField] = live
			continue
		}
		others[name] = live
	}
	if len(others) > 0 {
		fields[outputsField] = others
	}
	return fields, nil
}

func (t *Template) isHealthy(fields map[string]any, properties []byte) (cue.Judgement, error) {
	done, err := judge(t.policy, fields, properties)
	if err != nil {
		return cue.Judgement{}, err
	}
	defer done.close()
	root := done.root
	// As KubeVela has it, a policy in which anything is in doubt decides nothing.
	expression := root.LookupPath(pathOf("isHealth"))
	if root.Err() != nil {
		expression = root
	}
	if healthy, err := expression.Bool(); err == nil {
		return cue.Judgement{Healthy: healthy}, nil
	}
	if err := expression.Validate(); err != nil && expression.Exists() {
		return cue.Judgement{}, cue.NewError(cue.ProblemsOf(err))
	}
	reason := "isHealth is not decided yet"
	if problems := cue.ProblemsOf(expression.Validate(cuelang.Concrete(true))); len(problems) > 0 {
		reason += fmt.Sprintf(" (%s: %s)", problems[0].Position, problems[0].Message)
	}
	return cue.Judgement{Message: reason}, nil
}

// messageOf is the definition's own words, or "" where it finds none for these objects.
func (t *Template) messageOf(fields map[string]any, properties []byte, healthy bool) string {
	if t.message == nil {
		return ""
	}
	fields["status"] = map[string]any{"healthy": healthy}
	done, err := judge(t.message, fields, properties)
	if err != nil {
		return ""
	}
	defer done.close()
	if done.root.Err() != nil {
		return ""
	}
	message, err := done.root.LookupPath(pathOf("message")).String()
	if err != nil {
		return ""
	}
	return message
}

// judge evaluates one of the status texts with its input.
func judge(status *text, fields map[string]any, properties []byte) (*evaluation, error) {
	if properties == nil {
		properties = []byte("{}")
	}
	in, err := newInput(fields, properties)
	if err != nil {
		return nil, err
	}
	return status.evaluate(in)
}

// statusText is one of the status texts, or nil where there is none.
func (t *Template) statusText(name, content string) *text {
	if content == "" {
		return nil
	}
	return newText(t.definition.Name, func() ([]*ast.File, error) {
		file, err := cue.ParseText(t.definition.Name+"/"+name, content)
		return []*ast.File{file}, err
	})
}

// checkStatus finds what is wrong with the status texts by themselves.
func (t *Template) checkStatus() error {
	if _, err := cue.ParseText(t.definition.Name+"/healthPolicy", t.health.healthPolicy); err != nil {
		return err
	}
	_, err := cue.ParseText(t.definition.Name+"/customStatus", t.health.customStatus)
	return err
}
