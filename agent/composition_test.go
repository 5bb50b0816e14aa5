package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// leaf is healthy and exports a host as its properties say.
const leaf = `
parameters: {host: string, up: *true | bool}
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", data: {host: parameters.host, up: "\(parameters.up)"}}}]
isHealthy: context.status.config != _|_ && parameters.up
exports: host: parameters.host
`

// middle makes a leaf, and exports what it exports.
const middle = `
parameters: {host: string, up: *true | bool}
outputs: [{name: "leaf", type: "component", value: {definition: "LEAF", parameters: {host: "db.\(parameter.host)", up: parameter.up}}}]
isHealthy: true
exports: host: context.outputs.leaf.status.exports.host
`

// stack makes a middle, and a ConfigMap of what that exports.
const stack = `
parameters: {host: string, up: *true | bool, small: *false | bool}
outputs: [
	{name: "app", value: {apiVersion: "v1", kind: "ConfigMap", data: url: "http://\(context.outputs.db.status.exports.host)"}},
	{name: "db", type: "component", value: {type: "MIDDLE", properties: {host: parameters.host, up: parameters.up}}, statusPaths: [{name: "host", path: ".status.exports.host"}]},
	if !parameters.small {{name: "second", type: "component", value: {type: "LEAF", properties: host: "second"}}},
]
exports: host: context.status.db.host
`

// install installs a component definition under a name of its own, which stands for NAME in source.
func (s *spoke) install(name, source string) *corev1alpha1.ComponentDefinition {
	s.t.Helper()
	def := &corev1alpha1.ComponentDefinition{ObjectMeta: metav1.ObjectMeta{Name: s.ns + "-" + name}}
	def.Spec.Files = map[string]string{"template.cue": s.named(source)}
	s.create(def)
	s.t.Cleanup(func() { s.must(s.client.Delete(context.Background(), def)) })
	return def
}

// named puts the names of installed definitions into CUE.
func (s *spoke) named(source string) string {
	return strings.NewReplacer("LEAF", s.ns+"-leaf", "MIDDLE", s.ns+"-middle").Replace(source)
}

func (s *spoke) stack(properties string) {
	s.t.Helper()
	s.install("leaf", leaf)
	s.install("middle", middle)
	s.create(s.component("shop", "r1", inline("stack", s.named(stack)), properties))
}

func TestCompositionOfTwoLevels(t *testing.T) {
	s := newSpoke(t)
	s.stack(`{"host":"one"}`)
	shop := s.awaitHealth("shop", "r1", true)
	if diff := cmp.Diff(map[string]string{"url": "http://db.one"}, s.configData("shop")); diff != "" {
		t.Errorf("the ConfigMap of what the child exports (-want +got):\n%s", diff)
	}
	if got := string(shop.Status.Exports.Raw); got != `{"host":"db.one"}` {
		t.Errorf("the parent exports %s", got)
	}
	child := s.get("shop-db")
	if child.Spec.Revision != "" || child.Spec.DefinitionSnapshot != nil || child.Labels[corev1alpha1.ComponentUIDLabel] != string(shop.UID) {
		t.Errorf("the child is %s", pretty(child))
	}
	if got := s.get("shop-db-leaf").Annotations[corev1alpha1.ComposedByAnnotation]; got != "stack,"+s.ns+"-middle" {
		t.Errorf("the child of the child is composed by %q", got)
	}

	t.Log("what a child exports anew flows on, and the parent is not healthy before it has arrived")
	s.dispatch("shop", "r2", `{"host":"two"}`)
	s.awaitHealth("shop", "r2", true)
	for _, seen := range s.record.statuses("shop") {
		if health := seen.Status.Health; len(health) == 1 && health[0].Revision == "r2" && health[0].IsHealthy {
			if diff := cmp.Diff(map[string]string{"url": "http://db.two"}, s.record.configAt("shop", number(seen.ResourceVersion))); diff != "" {
				t.Errorf("healthy at r2 with (-want +got):\n%s", diff)
			}
		}
	}

	t.Log("a child that is not healthy makes everything above it unhealthy, whatever their isHealthy says")
	s.dispatch("shop", "r3", `{"host":"two","up":false}`)
	s.awaitHealth("shop", "r3", false)
	s.awaitReason("shop-db", condition.Healthy, condition.ReasonUnhealthy)
	waiting := s.awaitReason("shop", condition.Applied, condition.ReasonWaitingForOutput)
	if want := "Waiting for output db: context.outputs.db.status.exports.host is not there yet, which output app reads."; waiting.Message != want {
		t.Errorf("got message %q, want %q", waiting.Message, want)
	}
	if got := s.configData("shop")["url"]; got != "http://db.two" {
		t.Errorf("the output that waits has url %q, want it to stay", got)
	}

	t.Log("an output that is gone takes its child along, but not while another one waits")
	s.dispatch("shop", "r4", `{"host":"two","up":false,"small":true}`)
	s.awaitHealth("shop", "r4", false)
	s.get("shop-second")
	s.dispatch("shop", "r5", `{"host":"two","small":true}`)
	s.awaitHealth("shop", "r5", true)
	s.awaitGone("shop-second")
}

func TestCompositionIsDeletedFromTheOutside(t *testing.T) {
	s := newSpoke(t)
	s.stack(`{"host":"one"}`)
	s.awaitHealth("shop", "r1", true)
	s.patch("v1", "ConfigMap", "shop-db-leaf", `{"metadata":{"finalizers":["example.com/hold"]}}`)
	s.calls.take()
	s.must(s.client.Delete(t.Context(), s.get("shop")))
	s.eventually("the innermost object is being deleted", func() string {
		if s.object("v1", "ConfigMap", "shop-db-leaf").GetDeletionTimestamp() == nil {
			return "it is not"
		}
		return ""
	})
	for _, name := range []string{"shop", "shop-db", "shop-db-leaf"} {
		if s.get(name).DeletionTimestamp == nil {
			t.Errorf("Component %s is not being deleted", name)
		}
	}
	if s.configData("shop") == nil {
		t.Error("what is applied before its children went before they were gone")
	}
	s.patch("v1", "ConfigMap", "shop-db-leaf", `{"metadata":{"finalizers":null}}`)
	s.awaitGone("shop")
	for _, name := range []string{"shop-db", "shop-second", "shop-db-leaf"} {
		if s.object("core.wheelwright.dev/v1alpha1", "Component", name) != nil {
			t.Errorf("Component %s is left", name)
		}
	}
}

// chained makes a leaf of what another one exports. The first has the name that comes last.
const chained = `
parameters: {host: string, up: *true | bool}
outputs: [
	{name: "z", type: "component", value: {type: "LEAF", properties: {host: parameters.host, up: parameters.up}}},
	{name: "a", type: "component", value: {type: "LEAF", properties: host: context.outputs.z.status.exports.host}},
]
isHealthy: true
`

// What was made of another part's exports goes before that part does.
func TestChainIsDeletedFromItsEnd(t *testing.T) {
	s := newSpoke(t)
	s.install("leaf", leaf)
	s.create(s.component("shop", "r1", inline("chained", s.named(chained)), `{"host":"one"}`))
	s.awaitHealth("shop", "r1", true)
	s.patch("v1", "ConfigMap", "shop-a", `{"metadata":{"finalizers":["example.com/hold"]}}`)
	s.must(s.client.Delete(t.Context(), s.get("shop")))
	s.eventually("the end of the chain is being deleted", func() string {
		if s.object("v1", "ConfigMap", "shop-a").GetDeletionTimestamp() == nil {
			return "it is not"
		}
		return ""
	})
	said := s.awaitReason("shop", condition.Ready, condition.ReasonDeleting).Message
	if first := s.get("shop-z"); first.DeletionTimestamp != nil {
		t.Errorf("its beginning is being deleted too; the message is: %s", said)
	}
	s.patch("v1", "ConfigMap", "shop-a", `{"metadata":{"finalizers":null}}`)
	s.awaitGone("shop")
}

func TestDriftOfAChildIsCorrected(t *testing.T) {
	s := newSpoke(t)
	s.stack(`{"host":"one"}`)
	s.awaitHealth("shop", "r1", true)
	s.edit("shop-db", func(c *corev1alpha1.Component) {
		c.Spec.Properties = &runtime.RawExtension{Raw: []byte(`{"host":"drifted"}`)}
		delete(c.Annotations, corev1alpha1.ComposedByAnnotation)
	})
	s.eventually("the child is as rendered", func() string {
		child := s.get("shop-db")
		if child.Annotations[corev1alpha1.ComposedByAnnotation] != "stack" {
			return pretty(child.Annotations)
		}
		return cmp.Diff(`{"host":"one","up":true}`, string(child.Spec.Properties.Raw))
	})
	uid := string(s.get("shop").UID)
	s.edit("shop-db", func(c *corev1alpha1.Component) { delete(c.Labels, corev1alpha1.ComponentUIDLabel) })
	s.eventually("the child has its owner's label", func() string {
		return cmp.Diff(uid, s.get("shop-db").Labels[corev1alpha1.ComponentUIDLabel])
	})
	before := s.get("shop-db").UID
	s.must(s.client.Delete(t.Context(), s.get("shop-db")))
	s.eventually("the child is made anew", func() string {
		if found := s.object("core.wheelwright.dev/v1alpha1", "Component", "shop-db"); found == nil || found.GetUID() == before {
			return "it is not there"
		}
		return ""
	})
	s.awaitHealth("shop", "r1", true)
	s.eventually("the outputs are those of the child", func() string { return cmp.Diff("http://db.one", s.configData("shop")["url"]) })
}

func TestCompositionOfItselfIsRefused(t *testing.T) {
	s := newSpoke(t)
	const self = `
parameters: {}
outputs: [
	{name: "config", value: {apiVersion: "v1", kind: "ConfigMap"}},
	{name: "again", type: "component", value: type: "MIDDLE"},
]`
	s.install("middle", self)
	direct := s.component("direct", "r1", inline(s.ns+"-middle", s.named(self)), `{}`)
	s.create(direct)
	refused := s.awaitReason("direct", condition.Rendered, condition.ReasonCompositionRefused)
	for _, part := range []string{"direct-again", s.ns + "-middle > " + s.ns + "-middle"} {
		if !strings.Contains(refused.Message, part) {
			t.Errorf("the message does not say %q: %s", part, refused.Message)
		}
	}

	t.Log("by way of another one")
	s.create(s.component("outer", "r1", inline("outer", s.named(`
parameters: {}
outputs: [{name: "in", type: "component", value: type: "MIDDLE"}]`)), `{}`))
	s.awaitReason("outer", condition.Healthy, condition.ReasonUnhealthy)
	s.awaitReason("outer-in", condition.Rendered, condition.ReasonCompositionRefused)
	if s.object("core.wheelwright.dev/v1alpha1", "Component", "outer-in-again") != nil {
		t.Error("the Component that is part of itself was made")
	}
}

func TestCompositionIsBounded(t *testing.T) {
	s := newSpoke(t)
	s.install("leaf", leaf)
	deep := s.component("deep", "r1", inline("deep", s.named(`
parameters: {}
outputs: [{name: "leaf", type: "component", value: {type: "LEAF", properties: host: "x"}}]`)), `{}`)
	deep.Annotations = map[string]string{corev1alpha1.ComposedByAnnotation: "a,b,c,d,e,f"}
	s.create(deep)
	s.awaitHealth("deep", "r1", true)
	s.edit("deep", func(c *corev1alpha1.Component) {
		c.Annotations[corev1alpha1.ComposedByAnnotation] = "a,b,c,d,e,f,g"
		c.Spec.Revision = "r2"
	})
	refused := s.awaitReason("deep", condition.Rendered, condition.ReasonCompositionRefused)
	if !strings.Contains(refused.Message, "a > b > c > d > e > f > g > deep > "+s.ns+"-leaf") {
		t.Errorf("the message does not say what leads there: %s", refused.Message)
	}
}

func TestComponentOfSomebodyElseIsNotTakenOver(t *testing.T) {
	s := newSpoke(t)
	s.install("leaf", leaf)
	own := s.component("shop-leaf", "", inline("leaf", leaf), `{"host":"mine"}`)
	s.create(own)
	s.awaitReason("shop-leaf", condition.Ready, condition.ReasonReady)
	shop := inline("shop", s.named(`
parameters: {}
outputs: [{name: "leaf", type: "component", value: {type: "LEAF", properties: host: "x"}}]`))
	s.create(s.component("shop", "r1", shop, `{}`))
	refused := s.awaitReason("shop", condition.Applied, condition.ReasonOwnedByAnother)
	if !strings.Contains(refused.Message, "Component.core.wheelwright.dev "+s.ns+"/shop-leaf: is there already") {
		t.Errorf("the message does not name the Component: %s", refused.Message)
	}
	if got := string(s.get("shop-leaf").Spec.Properties.Raw); got != `{"host":"mine"}` {
		t.Errorf("the Component of somebody else has properties %s", got)
	}

	t.Log("nor that of another composition")
	other := s.component("shop2", "r1", inline("shop2", shop.Files["template.cue"]), `{}`)
	s.create(other)
	s.awaitHealth("shop2", "r1", true)
	s.create(s.component("third", "r1", inline("third", s.named(`
parameters: {}
outputs: [{name: "c", value: {apiVersion: "core.wheelwright.dev/v1alpha1", kind: "Component", metadata: name: "shop2-leaf", spec: {type: "LEAF", properties: host: "y"}}}]`)), `{}`))
	refused = s.awaitReason("third", condition.Applied, condition.ReasonOwnedByAnother)
	if !strings.Contains(refused.Message, "belongs to Component "+s.ns+"/shop2") {
		t.Errorf("the message does not name the owner: %s", refused.Message)
	}
}

// A chain is between outputs of any kind.
func TestOutputReadsWhatTheClusterGave(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", inline("web", `
parameters: {}
outputs: [
	{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", data: ip: context.outputs.service.spec.clusterIP}},
	{name: "service", value: {apiVersion: "v1", kind: "Service", spec: {selector: app: "x", ports: [{port: 80}]}}},
]`), `{}`))
	s.awaitHealth("web", "r1", true)
	service := &corev1.Service{}
	s.must(s.client.Get(t.Context(), client.ObjectKey{Namespace: s.ns, Name: "web"}, service))
	if got := s.configData("web")["ip"]; got == "" || got != service.Spec.ClusterIP {
		t.Errorf("the ConfigMap has ip %q, want %q", got, service.Spec.ClusterIP)
	}
}

func TestOutputsThatWaitForEachOtherAreRefused(t *testing.T) {
	s := newSpoke(t)
	s.create(s.component("web", "r1", inline("web", `
parameters: {}
outputs: [
	{name: "a", value: {apiVersion: "v1", kind: "ConfigMap", data: x: context.outputs.b.data.x}},
	{name: "b", value: {apiVersion: "v1", kind: "ConfigMap", data: x: context.outputs.a.data.x}},
]`), `{}`))
	refused := s.awaitReason("web", condition.Rendered, condition.ReasonRenderFailed)
	for _, part := range []string{"web/template.cue:4:2", "a reads b reads a"} {
		if !strings.Contains(refused.Message, part) {
			t.Errorf("the message does not say %q: %s", part, refused.Message)
		}
	}
}

// A parent and its children come to rest: what is quiet stays quiet, and an event of a child that changes nothing is not written on.
func TestCompositionComesToRest(t *testing.T) {
	s := newSpoke(t)
	s.stack(`{"host":"one"}`)
	s.awaitHealth("shop", "r1", true)
	s.awaitCompositionQuiet()
	s.calls.take()
	s.patch("core.wheelwright.dev/v1alpha1", "Component", "shop-db", `{"metadata":{"labels":{"example.com/note":"hello"}}}`)
	s.awaitCompositionQuiet()
	if calls := s.calls.take(); len(calls) > 0 {
		t.Errorf("a label of somebody else on a child led to %q", calls)
	}

	t.Log("a change two levels down costs its writes and those of the status on the way, twice at most")
	s.dispatch("shop", "r2", `{"host":"two"}`)
	s.awaitHealth("shop", "r2", true)
	s.awaitCompositionQuiet()
	calls := s.calls.take()
	if most := 20; len(calls) > most {
		t.Errorf("got %d writes, want at most %d: %q", len(calls), most, calls)
	}

	t.Log("after a restart, a revision without a change is all that is written down")
	s.calls.take()
	s.restartAgent()
	s.dispatch("shop", "r3", `{"host":"two"}`)
	s.awaitHealth("shop", "r3", true)
	s.awaitCompositionQuiet()
	want := []string{"PATCH /apis/core.wheelwright.dev/v1alpha1/namespaces/" + s.ns + "/components/shop/status"}
	if diff := cmp.Diff(want, s.calls.take()); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// awaitCompositionQuiet waits until no Component of the namespace has changed for twenty readings in a row, and gives the resource
// versions.
func (s *spoke) awaitCompositionQuiet() string {
	s.t.Helper()
	last := ""
	for same := 0; same < 20; {
		components := &corev1alpha1.ComponentList{}
		s.must(s.client.List(s.t.Context(), components, client.InNamespace(s.ns)))
		versions := map[string]string{"ConfigMap": versionOf(s.object("v1", "ConfigMap", "shop"))}
		for _, one := range components.Items {
			versions[one.Name] = one.ResourceVersion
		}
		if now := pretty(versions); now == last {
			same++
		} else {
			last, same = now, 0
		}
	}
	return last
}
