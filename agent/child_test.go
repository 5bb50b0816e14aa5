package agent_test

import (
	"net/http"
	"strings"
	"testing"

	"wheelwright.dev/wheelwright/shared/condition"
)

// parent makes a leaf of what its properties say.
const parentOfLeaf = `
parameters: {host: string, bad: *false | bool}
outputs: [
	if parameters.bad {{name: "bad", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "Bad Name"}}},
	{name: "leaf", type: "component", value: {type: "LEAF", properties: host: parameters.host}},
]
isHealthy: true
`

func TestFieldAddedToAChildIsTakenAway(t *testing.T) {
	cases := map[string]string{
		"a property":   `{"spec":{"properties":{"up":true}}}`,
		"a deadline":   `{"spec":{"progressDeadlineSeconds":5}}`,
		"a trait":      `{"spec":{"traits":[{"type":"nothing"}]}}`,
		"an account":   `{"spec":{"serviceAccountName":"other"}}`,
		"a dependency": `{"spec":{"dependsOn":[{"name":"other"}]}}`,
	}
	for name, patch := range cases {
		t.Run(name, func(t *testing.T) {
			s := newSpoke(t)
			s.install("leaf", leaf)
			s.create(s.component("shop", "r1", inline("parent", s.named(parentOfLeaf)), `{"host":"one"}`))
			s.awaitHealth("shop", "r1", true)
			before := pretty(s.get("shop-leaf").Spec)
			s.patch("core.wheelwright.dev/v1alpha1", "Component", "shop-leaf", patch)
			s.eventually("the child is as it was rendered", func() string {
				child := s.get("shop-leaf")
				if pretty(child.Spec) != before {
					return pretty(child)
				}
				return ""
			})
			s.awaitReason("shop-leaf", condition.Ready, condition.ReasonReady)
		})
	}
}

func TestFieldAddedToAChildWhileTheAgentIsDown(t *testing.T) {
	s := newSpoke(t)
	s.install("leaf", leaf)
	s.create(s.component("shop", "r1", inline("parent", s.named(parentOfLeaf)), `{"host":"one"}`))
	s.awaitHealth("shop", "r1", true)
	before := pretty(s.get("shop-leaf").Spec)
	s.stop()
	s.patch("core.wheelwright.dev/v1alpha1", "Component", "shop-leaf", `{"spec":{"properties":{"up":true}}}`)
	s.startAgent()
	s.eventually("the child is as it was rendered", func() string {
		if child := s.get("shop-leaf"); pretty(child.Spec) != before {
			return pretty(child)
		}
		return ""
	})
	s.awaitReason("shop-leaf", condition.Ready, condition.ReasonReady)
}

const anything = `
parameters: {...}
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", data: a: "1"}}]
isHealthy: true
`

func TestChildIsWhatWasRenderedHoweverItIsWritten(t *testing.T) {
	cases := map[string]string{
		"null":          `properties: {a: null, b: {c: null}}`,
		"empty":         `properties: {a: {}, b: [], c: ""}`,
		"no properties": ``,
		"empty props":   `properties: {}`,
		"null in list":  `properties: {a: [null, 1, {b: null}]}`,
		"floats":        `properties: {a: 1.0, b: 1e3, c: 1.5e300, d: -0.0, e: 0.1, f: 1e21}`,
		"integers":      `properties: {a: 9007199254740993, b: 9223372036854775807, c: -9223372036854775808}`,
		"unicode":       "properties: {a: \"é<>&\\u2028\\u0001\", \"k/<é\": \"😀\"}",
		"dependsOn":     `dependsOn: []`,
		"trait":         `properties: {}, traits: []`,
		"deadline":      `progressDeadlineSeconds: 600`,
	}
	for name, spec := range cases {
		t.Run(name, func(t *testing.T) {
			s := newSpoke(t)
			s.install("leaf", anything)
			source := s.named(`
outputs: [{name: "leaf", value: {apiVersion: "core.wheelwright.dev/v1alpha1", kind: "Component", metadata: name: "shop-leaf", spec: {type: "LEAF", ` + strings.ReplaceAll(spec, "ANY", s.ns+"-leaf") + `}}}]
isHealthy: true
`)
			s.create(s.component("shop", "r1", inline("parent", source), `{}`))
			s.awaitHealth("shop", "r1", true)
			s.awaitReason("shop-leaf", condition.Verified, condition.ReasonComposed)
		})
	}
}

func TestDependenciesOfAChildChangeTheirOrder(t *testing.T) {
	s := newSpoke(t)
	s.install("leaf", anything)
	source := s.named(`
parameters: {needs: [...string]}
outputs: [
	{name: "a", type: "component", value: {type: "LEAF"}},
	{name: "b", type: "component", value: {type: "LEAF"}},
	{name: "c", type: "component", value: {type: "LEAF"}},
	{name: "leaf", value: {apiVersion: "core.wheelwright.dev/v1alpha1", kind: "Component", metadata: name: "shop-leaf", spec: {type: "LEAF", dependsOn: [for need in parameters.needs {name: need}]}}},
]
isHealthy: true
`)
	s.create(s.component("shop", "r1", inline("parent", source), `{"needs":["shop-a","shop-b"]}`))
	s.awaitHealth("shop", "r1", true)
	s.dispatch("shop", "r2", `{"needs":["shop-b","shop-a"]}`)
	s.awaitHealth("shop", "r2", true)
	s.dispatch("shop", "r3", `{"needs":["shop-c","shop-a","shop-b"]}`)
	s.awaitHealth("shop", "r3", true)
	s.dispatch("shop", "r4", `{"needs":["shop-c","shop-b"]}`)
	s.awaitHealth("shop", "r4", true)
	s.awaitReason("shop-leaf", condition.Ready, condition.ReasonReady)
}

// A child that names an account is no more than that account.
func TestChildOfADispatchedComponentMayNameAnAccount(t *testing.T) {
	s := newSpoke(t)
	s.revoke()
	s.account("limited", "configmaps")
	s.install("leaf", twoKinds)
	source := s.named(`
outputs: [{name: "leaf", value: {apiVersion: "core.wheelwright.dev/v1alpha1", kind: "Component", metadata: name: "shop-leaf", spec: {type: "LEAF", serviceAccountName: "limited"}}}]
isHealthy: true
`)
	s.create(s.component("shop", "r1", inline("parent", source), `{}`))
	s.eventually("the child is there", func() string {
		if s.object("core.wheelwright.dev/v1alpha1", "Component", "shop-leaf") == nil {
			return "it is not"
		}
		return ""
	})
	s.awaitRefusal("shop-leaf", condition.Applied, "limited")
	if s.object("v1", "Secret", "shop-leaf") != nil {
		t.Error("the Secret was made, which the account may not make")
	}
	s.allow("limited", "secrets")
	s.awaitHealth("shop", "r1", true)
	s.awaitReason("shop-leaf", condition.Verified, condition.ReasonComposed)
}

// A child that was judged over a tracker that somebody edited comes back once that is as it was.
func TestChildOfAnEditedTrackerComesBack(t *testing.T) {
	s := newSpoke(t)
	s.install("leaf", leaf)
	s.create(s.component("shop", "r1", inline("parent", s.named(parentOfLeaf)), `{"host":"one"}`))
	s.awaitHealth("shop", "r1", true)
	s.calls.refuseSome(func(request *http.Request) bool { return strings.HasSuffix(request.URL.Path, "/"+s.ns+".shop") })
	ledger := s.tracker("shop")
	for i := range ledger.Spec.Resources {
		ledger.Spec.Resources[i].SpecHash = "edited"
	}
	s.must(s.client.Update(t.Context(), ledger))
	s.patch("v1", "ConfigMap", "shop-leaf", `{"data":{"host":"drifted"}}`)
	s.awaitReason("shop-leaf", condition.Verified, condition.ReasonAltered)
	s.calls.refuseSome(nil)
	s.awaitReason("shop-leaf", condition.Ready, condition.ReasonReady)
	if got := s.configData("shop-leaf")["host"]; got != "one" {
		t.Errorf("the host is %q", got)
	}
}

// While the parent cannot be applied, its children stay looked after.
func TestChildOfAParentThatFailsIsLookedAfter(t *testing.T) {
	s := newSpoke(t)
	s.install("leaf", leaf)
	s.create(s.component("shop", "r1", inline("parent", s.named(parentOfLeaf)), `{"host":"one"}`))
	s.awaitHealth("shop", "r1", true)
	s.dispatch("shop", "r2", `{"host":"two","bad":true}`)
	s.awaitHealth("shop", "r2", false)
	s.patch("v1", "ConfigMap", "shop-leaf", `{"data":{"host":"drifted"}}`)
	s.eventually("the drift is corrected", func() string {
		if s.configData("shop-leaf")["host"] != "one" {
			return pretty(s.get("shop-leaf").Status)
		}
		return ""
	})
}
