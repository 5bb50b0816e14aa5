package main

import (
	"embed"
	"fmt"

	"wheelwright.dev/wheelwright/shared/cue"
	"wheelwright.dev/wheelwright/shared/definition"
	"wheelwright.dev/wheelwright/shared/evaluate"
)

// files are a web service and two traits in KubeVela's shape, which is the one that costs more.
//
//go:embed definitions/*.cue
var files embed.FS

// webservice is the n-th of many web services, no two of which are given the same.
func webservice(n int) (evaluate.Work, error) {
	work := evaluate.Work{
		Type: "webservice", Context: cue.Context{Name: "web", Namespace: "shop"}.With(map[string]any{"revision": "r1"}),
		Properties: []byte(propertiesOf(n)),
		Traits: []evaluate.Trait{
			{Type: "scaler", Properties: []byte(scalerProperties)}, {Type: "sidecar", Properties: []byte(sidecarProperties)},
		},
	}
	var err error
	if work.Definition, err = definition.FromFile(files, "definitions/webservice.cue", "webservice"); err != nil {
		return evaluate.Work{}, err
	}
	for i, trait := range work.Traits {
		found, err := definition.FromFile(files, "definitions/"+trait.Type+".cue", trait.Type)
		if err != nil {
			return evaluate.Work{}, err
		}
		work.Traits[i].Definition = definition.Trait{Definition: found}
	}
	return work, nil
}

const (
	scalerProperties  = `{"replicas":3}`
	sidecarProperties = `{"name":"proxy","image":"proxy:2","env":[{"name":"MODE","value":"out"}]}`
)

func propertiesOf(n int) string {
	return fmt.Sprintf(`{
		"image": "nginx:1.27", "cpu": "100m", "memory": "128Mi", "labels": {"team": "web"},
		"ports": [{"port": 80, "expose": true}, {"port": 9090, "name": "metrics"}],
		"env": [{"name": "LEVEL", "value": "n%d"}, {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "web", "key": "token"}}}],
		"volumes": [{"name": "settings", "path": "/etc/web", "config": "web"}],
		"readiness": {"httpGet": {"path": "/ready", "port": 80}, "periodSeconds": 5}
	}`, n)
}
