package workflow_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/workflow"
	"wheelwright.dev/wheelwright/shared/definition"
)

// TestATemplateThatIsWrongNeverSucceeds covers what the engine takes for success from the second try on.
func TestATemplateThatIsWrongNeverSucceeds(t *testing.T) {
	for name, test := range map[string]struct {
		template string
		parts    []string
	}{
		"a reference that nothing resolves": {`#do: "notify", x: nobody`, []string{"broken/template.cue:1:19", `reference "nobody" not found`}},
		"a parameter of another type": {
			"parameters: n: string\n#do: \"notify\"", []string{"broken/template.cue:1:16", "conflicting values"},
		},
		"a parameter of another type, in the engine's style": {
			"import \"vela/builtin\"\nparameter: n: string\nsay: builtin.#Message & {$params: message: parameter.n}",
			[]string{"broken/template.cue:2:15", "conflicting values"},
		},
		"a property that is not declared": {"parameters: m?: int\n#do: \"notify\"", []string{`there is no parameter "n"`}},
		"a parameter that is not given": {
			"parameters: {n: int, m: string}\n#do: \"notify\"", []string{"broken/template.cue:1:25", "incomplete value string"},
		},
		"a syntax error":              {"#do: \"notify", []string{"broken/template.cue:1:6"}},
		"a package that is not there": {"import \"vela/nothing\"\nx: nothing.#X", []string{`there is no package "vela/nothing"`}},
		"a definition that is not there": {
			"import \"vela/builtin\"\nx: builtin.#Nothing & {}", []string{"undefined field: #Nothing"},
		},
		"an action that is not there": {
			`#do: "helm-rollback"`,
			[]string{"broken/template.cue:1:1", `there is no action "helm-rollback": there are helm-install, helm-upgrade, notify, refresh`},
		},
		"an action that is not there, by expression": {
			`_n: "helm-", #do: _n + "rollback"`, []string{`there is no action "helm-rollback"`},
		},
		"a provider that is not there": {`x: {#do: "a", #provider: "b"}`, []string{`there is no provider "b"`}},
		"a function that is not there": {`x: {#do: "a", #provider: "http"}`, []string{`provider "http" has no function "a"`}},
		"a condition that cannot be decided": {
			"parameters: {n: int, m?: int}\nif parameters.m > 3 {say: {#do: \"notify\"}}", []string{"it cannot be decided", "optional field: m"},
		},
		"a condition deep down that cannot be decided": {
			"parameters: {n: int, m?: int}\na: b: {if parameters.m > 3 {say: {#do: \"notify\"}}}", []string{"a: b: it cannot be decided"},
		},
		"returns that do not fit": {
			"#do: \"refresh\"\n$returns?: size: string\nparameters: {...}", []string{"conflicting values"},
		},
		"an input of an action that is not known": {
			"parameters: {n: int, m?: int}\n#do: \"notify\"\nx: parameters.m", []string{"notify: x is not known"},
		},
		"KubeVela's configs": {
			`x: {#do: "read", #provider: "config", $params: {name: "a", namespace: "b"}}`, []string{"KubeVela's configs are not there"},
		},
		"another cluster": {
			`import "vela/kube"
			x: kube.#Read & {$params: {cluster: "east", value: {apiVersion: "v1", kind: "Secret", metadata: name: "x"}}}`,
			[]string{`cluster "east" cannot be reached`},
		},
		"an output that is not there": {"#do: \"refresh\"", []string{"output out: there is no missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			step := `{type: "broken"}`
			if strings.Contains(test.template, "parameter") {
				step = `{type: "broken", properties: n: 1}`
			}
			if name == "an output that is not there" {
				step = `{type: "broken", outputs: [{name: "out", valueFrom: "missing"}]}`
			}
			f := newFlow(t, block(step))
			f.steps["broken"] = test.template
			f.answers["refresh"] = returns(map[string]any{"size": 3})
			result := f.finish()
			wantPhase(t, result.Run, workflow.PhaseFailed)
			wantSteps(t, result.Run, "broken failed", "dispatch skipped")
			wantMessage(t, result.Run.Message, test.parts...)
			if name == "returns that do not fit" && f.asked["refresh"] != 1 {
				t.Errorf("its action was asked %d times, though trying again mends nothing", f.asked["refresh"])
			}
			if f.asked["notify"] != 0 {
				t.Error("its action was called all the same")
			}
		})
	}
}

func TestAStepDefinitionThatIsNotThereIsLookedForAgain(t *testing.T) {
	f := newFlow(t, block(`{type: "late"}`))
	result := f.pass()
	wantPhase(t, result.Run, workflow.PhaseRunning)
	wantMessage(t, result.Run.Message, "loading the definition of step type late")
	f.steps["late"] = `#do: "notify"`
	wantPhase(t, f.finish().Run, workflow.PhaseSucceeded)
}

// TestACallThatHasAnEffectIsMadeOnce covers that every try of a step evaluates its template, and calls what it calls, anew.
func TestACallThatHasAnEffectIsMadeOnce(t *testing.T) {
	for name, test := range map[string]struct {
		method   string
		atLeast  int64
		template string
	}{
		"POST before a suspend": {"POST", 1, `pause: builtin.#Suspend & {}`},
		"POST before a wait":    {"POST", 1, `wait: {#do: "refresh"}`},
		"GET is asked again":    {"GET", 2, `wait: {#do: "refresh"}`},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				fmt.Fprintf(w, "ticket-%d", requests.Load())
			}))
			defer server.Close()
			f := newFlow(t, block(`{type: "call", outputs: [{name: "ticket", valueFrom: "post.$returns.body"}]}`,
				`{type: "set-workflow-state", inputs: [{from: "ticket", parameterKey: "ticket"}]}`))
			f.steps["call"] = fmt.Sprintf(`
				import "vela/http"
				import "vela/builtin"
				post: http.#HTTPDo & {$params: {method: %q, url: %q}}
				%s
				say: builtin.#Message & {$params: message: post.$returns.body}
			`, test.method, server.URL, test.template)
			f.answers["refresh"] = doneAfter(3, nil)
			result := f.pass()
			if result.Run.Phase == workflow.PhaseSuspended {
				f.pass()
				resumed, err := workflow.Resume(*f.event.Run, f.now())
				if err != nil {
					t.Fatal(err)
				}
				f.event.Run = &resumed
			}
			result = f.finish()
			wantPhase(t, result.Run, workflow.PhaseSucceeded)
			if got := requests.Load(); got < test.atLeast || test.atLeast == 1 && got != 1 {
				t.Errorf("%d requests were made", got)
			}
			if test.atLeast == 1 && result.Workflow["ticket"] != "ticket-1" {
				t.Errorf("the ticket is %v", result.Workflow["ticket"])
			}
			if notes := result.Run.Steps[0].Notes; len(notes) != 0 {
				t.Errorf("the answer is kept after the step has finished: %v", notes)
			}
		})
	}
}

// TestAVariableIsSetAnewByEveryTry covers that the engine refuses a second value for a variable.
func TestAVariableIsSetAnewByEveryTry(t *testing.T) {
	f := newFlow(t, block(`{type: "put"}`, `{type: "notify", inputs: [{from: "tries.n", parameterKey: "n"}]}`))
	f.steps["put"] = `
import "vela/builtin"
count: {#do: "helm-install"}
put: builtin.#DoVar & {$params: {method: "Put", path: "tries.n", value: count.$returns.n}}
wait: {#do: "refresh"}
`
	f.answers["helm-install"] = func(asked int) (workflow.Outcome, error) {
		return workflow.Outcome{Progress: workflow.Progress{Done: true}, Returns: map[string]any{"n": asked}}, nil
	}
	f.answers["refresh"] = doneAfter(3, nil)
	wantPhase(t, f.finish().Run, workflow.PhaseSucceeded)
	if got := fmt.Sprint(f.seen["notify"][0].Parameters["params"]); got != "map[n:3]" {
		t.Errorf("the variable is %s, want that of the last try", got)
	}
}

// TestComponentsWithNamesThatRunTogetherShareNothing covers keys such as "a-b-c" for a-b in c and a in b-c.
func TestComponentsWithNamesThatRunTogetherShareNothing(t *testing.T) {
	hashes := map[string]bool{}
	identities := []workflow.Identity{
		{Component: workflow.Component{UID: "u"}, EventID: "a-b", Step: "c"},
		{Component: workflow.Component{UID: "u"}, EventID: "a", Step: "b-c"},
		{Component: workflow.Component{UID: "u-a"}, EventID: "b", Step: "c"},
		{Component: workflow.Component{UID: "u"}, EventID: "a", Step: "b", Call: "c"},
		{Component: workflow.Component{UID: "u"}, EventID: "a", Step: "b", Attempt: 1},
		{Component: workflow.Component{UID: "u"}, EventID: "a", Step: "b1"},
	}
	for _, identity := range identities {
		hashes[identity.Hash()] = true
	}
	if len(hashes) != len(identities) {
		t.Errorf("%d identities have %d hashes", len(identities), len(hashes))
	}
	// Two Components whose namespace and name run together, passes in turn, on one engine.
	first, second := newFlow(t, block(`{type: "helm-install"}`)), newFlow(t, block(`{type: "helm-install"}`, `{type: "notify"}`))
	first.event.Component = workflow.Component{Namespace: "c", Name: "a-b", UID: "1"}
	second.event.Component = workflow.Component{Namespace: "b-c", Name: "a", UID: "2"}
	first.answers["helm-install"], second.answers["helm-install"] = doneAfter(2, nil), doneAfter(2, nil)
	first.pass()
	second.pass()
	wantPhase(t, first.pass().Run, workflow.PhaseSucceeded)
	wantPhase(t, second.pass().Run, workflow.PhaseSucceeded)
}

// TestALostStatusWriteChangesNoIdentity covers that the engine's step IDs are random until they are stored.
func TestALostStatusWriteChangesNoIdentity(t *testing.T) {
	f := newFlow(t, block(`{type: "helm-install"}`))
	f.answers["helm-install"] = doneAfter(3, nil)
	for range 2 {
		if _, err := f.engine().Run(t.Context(), f.event); err != nil { // the result is lost
			t.Fatal(err)
		}
	}
	wantPhase(t, f.finish().Run, workflow.PhaseSucceeded)
	if len(f.created) != 1 {
		t.Errorf("the action was asked under several identities: %v", f.created)
	}
}

// TestPropertiesDoNotStandInForAStep covers that the engine files a step's status under its properties.name as well.
func TestPropertiesDoNotStandInForAStep(t *testing.T) {
	f := newFlow(t, block(
		`{type: "notify", properties: {name: "migrate", component: "migrate"}}`, `{type: "refresh", if: "status.migrate.succeeded"}`,
	))
	result := f.finish()
	wantPhase(t, result.Run, workflow.PhaseFailed)
	wantMessage(t, result.Run.Message, "Step refresh failed", "migrate")
}

// TestDefinitionsAreLoadedWhenTheirStepRuns covers that the engine loads the templates of all steps in every reconcile.
func TestDefinitionsAreLoadedWhenTheirStepRuns(t *testing.T) {
	f := newFlow(t, block(`{type: "helm-install"}`, `{type: "nowhere", if: "false"}`))
	wantPhase(t, f.pass().Run, workflow.PhaseSucceeded)
}

// TestWithoutAClientAStepIsRefusedAndTheProcessLives covers that the engine's own clients end a process without kubeconfig.
func TestWithoutAClientAStepIsRefusedAndTheProcessLives(t *testing.T) {
	f := newFlow(t, block(`{type: "apply"}`))
	f.steps["apply"] = `import "vela/kube"
		x: kube.#Apply & {$params: value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "x"}}`
	result := f.pass()
	wantPhase(t, result.Run, workflow.PhaseRunning)
	wantMessage(t, result.Run.Message, "kube.apply", "no access to the cluster of its own")
}

// TestAFunctionThatBreaksDownFailsItsStepOnly covers panics in what a template calls.
func TestAFunctionThatBreaksDownFailsItsStepOnly(t *testing.T) {
	f := newFlow(t, block(`{type: "helm-install", retries: 1}`))
	f.answers["helm-install"] = func(int) (workflow.Outcome, error) { panic("out of cheese") }
	result := f.finish()
	wantPhase(t, result.Run, workflow.PhaseFailed)
	wantMessage(t, result.Run.Message, "helm-install: it broke down: out of cheese")
}

// TestTheEnginesProvidersActWithTheClientOfTheEvent also covers that #List breaks down in the engine, and that its context is
// a ConfigMap which somebody may delete.
func TestTheEnginesProvidersActWithTheClientOfTheEvent(t *testing.T) {
	for name, text := range map[string]string{
		"package kube": `
import "vela/kube"
apply: kube.#Apply & {$params: value: {
	apiVersion: "v1", kind: "ConfigMap", metadata: {name: "made", namespace: context.namespace, labels: x: "y"}}}
list: kube.#List & {$params: {
	resource: {apiVersion: "v1", kind: "ConfigMap"}, filter: {namespace: context.namespace, matchingLabels: x: "y"}}}
all: kube.#List & {$params: resource: {apiVersion: "v1", kind: "Namespace"}}
name: list.$returns.values.items[0].metadata.name
`,
		"package op": `
import "vela/op"
apply: op.#Apply & {value: {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "made", namespace: context.namespace, labels: x: "y"}}}
list: op.#List & {resource: {apiVersion: "v1", kind: "ConfigMap"}, filter: {namespace: context.namespace, matchingLabels: x: "y"}}
name: list.list.items[0].metadata.name
`,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFlow(t, block(`{type: "look", outputs: [{name: "made", valueFrom: "name"}]}`, `{type: "suspend"}`,
				`{type: "set-workflow-state", inputs: [{from: "made", parameterKey: "made"}]}`))
			f.event.Component.Namespace, f.event.Client = newNamespace(t), spokeClient
			f.steps["look"] = text
			wantPhase(t, f.pass().Run, workflow.PhaseSuspended)
			resumed, err := workflow.Resume(*f.event.Run, metav1.Now())
			if err != nil {
				t.Fatal(err)
			}
			f.event.Run = &resumed
			result := f.pass()
			wantPhase(t, result.Run, workflow.PhaseSucceeded)
			if result.Workflow["made"] != "made" {
				t.Errorf("the list has %v", result.Workflow)
			}
			maps := &corev1.ConfigMapList{}
			if err := spokeClient.List(t.Context(), maps, client.InNamespace(f.event.Component.Namespace)); err != nil {
				t.Fatal(err)
			}
			for _, one := range maps.Items {
				if one.Name != "made" && one.Name != "kube-root-ca.crt" {
					t.Errorf("the engine keeps ConfigMap %s", one.Name)
				}
			}
		})
	}
}

// TestAnEngineStepEndsTheWorkflowOrItself covers the engine's actions #Break and #Fail.
func TestAnEngineStepEndsTheWorkflowOrItself(t *testing.T) {
	for name, test := range map[string]struct {
		step  string
		phase workflow.Phase
		want  []string
	}{
		"break": {`{type: "end"}`, workflow.PhaseTerminated, []string{"end succeeded"}},
		"break in a group": {
			`{type: "step-group", subSteps: [{type: "end"}, {type: "notify"}]}`, workflow.PhaseTerminated,
			[]string{"step-group succeeded", "end succeeded"},
		},
		"fail": {`{type: "fail"}`, workflow.PhaseFailed, []string{"fail failed", "notify skipped", "dispatch skipped"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFlow(t, block(test.step, `{type: "notify", name: "notify"}`))
			if name == "break in a group" {
				f = newFlow(t, block(test.step))
			}
			f.steps["end"] = "import \"vela/builtin\"\nend: builtin.#Break & {$params: message: \"enough\"}"
			f.steps["fail"] = "import \"vela/builtin\"\nfail: builtin.#Fail & {$params: message: \"enough\"}"
			result := f.pass()
			wantPhase(t, result.Run, test.phase)
			wantSteps(t, result.Run, test.want...)
			wantMessage(t, result.Run.Message, "enough")
			f.wantCalls()
		})
	}
}

// TestDefinitionsOfSeveralFilesAndInKubeVelasOwnFormAreTakenAsOne covers the forms that definitions come in.
func TestDefinitionsOfSeveralFilesAndInKubeVelasOwnFormAreTakenAsOne(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"several files": {
			"variables.cue": "package step\nimport \"strings\"\nparameters: {image: string, tag: *\"latest\" | strings.MinRunes(1)}",
			"template.cue":  "package step\nimport \"strings\"\n#do: \"notify\"\nfull: strings.Join([parameters.image, parameters.tag], \":\")",
		},
		"KubeVela's own form": {
			"say.cue": "import \"strings\"\n\"say\": {\n\ttype: \"workflow-step\"\n\tannotations: {}\n}\n" +
				"template: {\n\tparameter: {image: string, tag: *\"latest\" | string}\n" +
				"\tsay: {#do: \"notify\", full: strings.Join([parameter.image, parameter.tag], \":\")}\n}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFlow(t, block(`{type: "say", properties: image: "db"}`))
			f.event.Loader = fixedLoader(definition.Definition{Name: "say", Files: files})
			wantPhase(t, f.finish().Run, workflow.PhaseSucceeded)
			if got := f.seen["notify"][0].Parameters["full"]; got != "db:latest" {
				t.Errorf("the action was asked with %v", f.seen["notify"][0].Parameters)
			}
		})
	}
}

type fixedLoader definition.Definition

func (l fixedLoader) LoadStep(context.Context, string) (definition.Definition, error) {
	return definition.Definition(l), nil
}

// TestTemplatesForOlderCUEAreRewritten covers that a loader of one's own has to do that.
func TestTemplatesForOlderCUEAreRewritten(t *testing.T) {
	f := newFlow(t, block(`{type: "old"}`))
	f.steps["old"] = "parameter: {}\nitems: [1] + [2]\nsay: {#do: \"notify\", numbers: items}\n"
	wantPhase(t, f.finish().Run, workflow.PhaseSucceeded)
}
