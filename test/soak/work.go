package main

import (
	"context"
	"fmt"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// Definitions of both shapes, and a trait. Each render brings a field name that none before it had: CUE never forgets one.
const (
	kep = `
parameters: {image: string, config: [string]: string}
outputs: [
	{name: "workload", value: {apiVersion: "apps/v1", kind: "Deployment", spec: template: spec: containers: [{name: context.name, image: parameters.image}]}},
	{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", data: parameters.config}},
]
isHealthy: context.status.workload.readyReplicas > 0
exports: ready: context.status.workload.readyReplicas`
	v1 = `
output: {apiVersion: "apps/v1", kind: "Deployment", spec: template: spec: containers: [{name: context.name, image: parameter.image}]}
outputs: config: {apiVersion: "v1", kind: "ConfigMap", data: parameter.config}
parameter: {image: string, config: [string]: string}`
	labels = `
patch: metadata: labels: {for key, value in parameter.labels {(key): value}}
parameter: labels: [string]: string`
)

// newDefinitionEvery is how many renders pass until a definition that none had before comes by.
const newDefinitionEvery = 500

func renderOne(ctx context.Context, evaluator *evaluate.Evaluator, n int) error {
	work := evaluate.Work{Type: "kep", Context: cue.Context{Name: fmt.Sprintf("c%d", n%100), Namespace: "soak"}}
	source := kep
	if n%2 == 1 {
		work.Type, source = "v1", v1
		work.Traits = []evaluate.Trait{{
			Type: "labels", Definition: definition.Trait{Definition: defined("labels", labels)},
			Properties: fmt.Appendf(nil, `{"labels":{"label-%d":"x"}}`, n),
		}}
	}
	if n%newDefinitionEvery == 0 {
		source += fmt.Sprintf("\n#unused: n%d: 1", n)
	}
	work.Definition = defined(work.Type, source)
	work.Properties = fmt.Appendf(nil, `{"image":"web:%d","config":{"key-%d":"value"}}`, n, n)
	rendering, err := evaluator.Render(ctx, work)
	if err != nil {
		return fmt.Errorf("render %d: %w", n, err)
	}
	if n%5 != 0 || work.Type != "kep" {
		return nil
	}
	work.Context.Status = map[string]map[string]any{"workload": {"readyReplicas": n % 3}}
	judgement, err := evaluator.Judge(ctx, work, rendering)
	if err == nil && judgement.Healthy != (n%3 > 0) {
		err = fmt.Errorf("it is healthy: %v", judgement.Healthy)
	}
	if err != nil {
		return fmt.Errorf("judging %d: %w", n, err)
	}
	return nil
}

func defined(name, source string) definition.Definition {
	return definition.Definition{Name: name, APIVersion: definition.DefaultAPIVersion, Files: map[string]string{"template.cue": source}}
}
