package cue

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const judged = `
parameters: replicas: *2 | int
outputs: []
isHealthy: context.status.workload.ready == parameters.replicas
message: "\(context.status.workload.ready) of \(parameters.replicas) are ready"
exports: {
	host: "\(context.name).\(context.namespace).svc"
	ip:   context.status.service.ip
	kind: context.outputs.workload.kind
}
`

func TestJudge(t *testing.T) {
	status := func(value any) map[string]map[string]any {
		return map[string]map[string]any{"workload": {"ready": value}}
	}
	cases := map[string]struct {
		source  string
		context Context
		want    Judgement
	}{
		"healthy, with the exports that are decided": {
			judged, Context{Name: "web", Namespace: "shop", Status: status(2)},
			Judgement{Healthy: true, Message: "2 of 2 are ready", Exports: map[string]any{"host": "web.shop.svc"}},
		},
		"not healthy, without exports": {
			judged, Context{Name: "web", Status: status(1)}, Judgement{Message: "1 of 2 are ready"},
		},
		"outputs in the context": {
			judged, Context{Name: "web", Namespace: "shop", Status: status(2),
				Outputs: map[string]map[string]any{"workload": {"kind": "Deployment"}}},
			Judgement{Healthy: true, Message: "2 of 2 are ready", Exports: map[string]any{"host": "web.shop.svc", "kind": "Deployment"}},
		},
		"a path that nobody sets": {
			judged, Context{Name: "web", Status: map[string]map[string]any{"workload": {}}},
			Judgement{Message: "isHealthy is not decided yet (webservice/template.cue:4:36: undefined field: ready)"},
		},
		"no status at all": {
			judged, Context{Name: "web"},
			Judgement{Message: "isHealthy is not decided yet (webservice/template.cue:4:27: undefined field: workload)"},
		},
		"null is a value":       {judged, Context{Name: "web", Status: status(nil)}, Judgement{}},
		"one side of || absent": {"outputs: []\nisHealthy: true || context.status.a.b", Context{}, Judgement{Message: "isHealthy is not decided yet (webservice/template.cue:2:35: undefined field: a)"}},
		"no expression":         {"outputs: []\nexports: a: 1", Context{}, Judgement{Healthy: true, Exports: map[string]any{"a": int64(1)}}},
		"exact integers": {"outputs: []\nexports: n: context.status.a.n", Context{Status: map[string]map[string]any{"a": {"n": int64(9007199254740993)}}},
			Judgement{Healthy: true, Exports: map[string]any{"n": int64(9007199254740993)}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := compile(t, tc.source).Judge(tc.context, nil)
			if err != nil {
				t.Fatalf("Judge: %v", err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("judgement (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJudgeRefuses(t *testing.T) {
	status := map[string]map[string]any{"a": {"n": 1}}
	for name, tc := range map[string]struct {
		expression string
		want       []string
	}{
		"types that cannot be compared": {`context.status.a.n > "1"`,
			[]string{`webservice/template.cue:2:12: isHealthy: invalid operands 1 and "1" to '>' (type int and string)`}},
		"no boolean": {`context.status.a.n`, []string{`webservice/template.cue:2:1: isHealthy: isHealthy must be true or false, got 1`}},
		"conflict":   {`true & false`, []string{`webservice/template.cue:2:12: isHealthy: conflicting values false and true`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := compile(t, "outputs: []\nisHealthy: "+tc.expression).Judge(Context{Status: status}, nil)
			wantProblems(t, err, tc.want)
		})
	}
}

func TestJudgeKeepsSoundExports(t *testing.T) {
	got, err := compile(t, "outputs: []\nexports: {good: 1, bad: 1 & 2}").Judge(Context{}, nil)
	if err != nil || !got.Healthy {
		t.Fatalf("got %+v, %v, want healthy", got, err)
	}
	if diff := cmp.Diff(map[string]any{"good": int64(1)}, got.Exports); diff != "" {
		t.Errorf("exports (-want +got):\n%s", diff)
	}
	wantProblems(t, got.ExportsError, []string{`webservice/template.cue:2:25: exports.bad: conflicting values 2 and 1`})
}
