package why

import (
	"bytes"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/live"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

var now = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

// shape changes a Component and what is below it.
type shape func(*live.Node)

// component is one that the agent has looked at, an hour old.
func component(name string, shapes ...shape) *live.Node {
	made := &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: name, UID: "uid", Generation: 2, CreationTimestamp: ago(time.Hour), Finalizers: []string{corev1alpha1.ComponentFinalizer},
	}}
	made.Spec.Type = "webservice"
	made.Status.ObservedGeneration = 2
	node := &live.Node{
		APIVersion: corev1alpha1.GroupVersion.String(), Kind: "Component", Namespace: "shop", Name: name,
		Health: live.Failed, Component: made, UID: "uid",
	}
	for _, change := range shapes {
		change(node)
	}
	return node
}

func with(change func(*corev1alpha1.Component)) shape {
	return func(node *live.Node) { change(node.Component) }
}

func says(typ string, status metav1.ConditionStatus, reason, message string) shape {
	return with(func(component *corev1alpha1.Component) {
		component.Status.Conditions = append(component.Status.Conditions, metav1.Condition{Type: typ, Status: status, Reason: reason, Message: message})
	})
}

func below(nodes ...*live.Node) shape {
	return func(node *live.Node) { node.Below = append(node.Below, nodes...) }
}

func needing(names ...string) shape {
	return with(func(component *corev1alpha1.Component) {
		for _, name := range names {
			component.Spec.DependsOn = append(component.Spec.DependsOn, corev1alpha1.Dependency{Name: name})
		}
		component.Status.Conditions = append(component.Status.Conditions, metav1.Condition{
			Type: condition.Applied, Status: metav1.ConditionUnknown, Reason: condition.ReasonWaitingForDependency, Message: "Waiting."})
	})
}

func healthy(node *live.Node) {
	node.Health = live.Current
	says(condition.Ready, metav1.ConditionTrue, condition.ReasonReady, "All is well.")(node)
}

func deleted(node *live.Node) {
	when := ago(time.Minute)
	node.Component.DeletionTimestamp = &when
	node.Health = live.Terminating
	says(condition.Ready, metav1.ConditionFalse, condition.ReasonDeleting, "Everything that it owns is being deleted.")(node)
}

func unhealthy(message string) shape {
	return says(condition.Healthy, metav1.ConditionFalse, condition.ReasonUnhealthy, message)
}

func deployment(health live.Health, pods ...*live.Node) *live.Node {
	return &live.Node{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web", Health: health, UID: "d", Message: "Available: 0/1", Below: pods}
}

func pod(health live.Health, reason, message string) *live.Node {
	return &live.Node{APIVersion: "v1", Kind: "Pod", Namespace: "shop", Name: "web-1", Health: health, Reason: reason, Message: message, UID: "p"}
}

func held(finalizer string) *live.Node {
	return &live.Node{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "kept", Health: live.Terminating, UID: "c", Held: []string{finalizer}}
}

type question struct {
	facts   Facts
	because string
	next    string
}

func asked(node *live.Node) Facts { return Facts{Tree: node, Agent: AgentRuns} }

func among(facts Facts, others map[string]*live.Node) Facts {
	facts.Others = map[client.ObjectKey]*live.Node{}
	for name, node := range others {
		facts.Others[client.ObjectKey{Namespace: "shop", Name: name}] = node
	}
	return facts
}

func (f Facts) agent(state Agent) Facts {
	f.Agent = state
	return f
}

func check(t *testing.T, questions map[string]question) {
	t.Helper()
	for name, tc := range questions {
		t.Run(name, func(t *testing.T) {
			tc.facts.Now = now
			answer := Explain(tc.facts)
			if want := "Component shop/web " + tc.because + "."; answer.Because != want {
				t.Errorf("got  %s\nwant %s", answer.Because, want)
			}
			if answer.Next != tc.next {
				t.Errorf("got  next %s\nwant next %s", answer.Next, tc.next)
			}
			if wantsHealthy := tc.because == "is healthy: nothing to do"; answer.Healthy != wantsHealthy || answer.Reason == "" {
				t.Errorf("got healthy=%v, reason %q", answer.Healthy, answer.Reason)
			}
		})
	}
}

func TestStanding(t *testing.T) {
	unseen := with(func(c *corev1alpha1.Component) { c.Status.ObservedGeneration = 1 })
	never := with(func(c *corev1alpha1.Component) { c.Status.ObservedGeneration = 0 })
	changed := with(func(c *corev1alpha1.Component) {
		when := ago(5 * time.Second)
		c.ManagedFields = []metav1.ManagedFieldsEntry{{Time: &when}}
	})
	foreign := with(func(c *corev1alpha1.Component) { c.Finalizers = []string{"example.com/kept"} })
	const describeAgent, agentLogs = "kubectl -n wheelwright-system describe deployment,pods", "kubectl -n wheelwright-system logs deployment/wheelwright-agent"
	check(t, map[string]question{
		"healthy":              {asked(component("web", healthy)), "is healthy: nothing to do", ""},
		"healthy, agent gone":  {asked(component("web", healthy)).agent(AgentDown), "was healthy when the agent last looked, and the agent does not run; no pod of Deployment wheelwright-system/wheelwright-agent is available", describeAgent},
		"healthy, object gone": {asked(component("web", healthy, below(deployment(live.Missing)))), "counts as healthy, and Deployment shop/web is missing, which the agent puts back at once", agentLogs},
		"just changed":         {asked(component("web", healthy, unseen, changed)), "was changed 5s ago, and the agent has not answered yet", "look again in a few seconds: wheel why component web -n shop"},
		"agent silent":         {asked(component("web", healthy, unseen)), "is at generation 2 since 60m, and the agent has seen 1", agentLogs},
		"agent never there": {asked(component("web", never)).agent(AgentUnknown), "is there since 60m, and the agent has never looked at it",
			"see whether the agent runs: kubectl -n wheelwright-system get deployment wheelwright-agent"},
		"no conditions": {asked(component("web")), "has no condition that says how it is", agentLogs},
		"exports": {asked(component("web", says(condition.Ready, metav1.ConditionFalse, condition.ReasonExportsFailed, "Healthy, but exports cannot be evaluated: exports.cue:3:7: no."))),
			"is not ready: Healthy, but exports cannot be evaluated: exports.cue:3:7: no", "correct line 3 of exports.cue in definition webservice, then wheel vet DIR and wheel def apply DIR"},
		"deleting": {asked(component("web", deleted, below(deployment(live.Terminating), held("example.com/kept")))),
			"is being deleted, and waits for ConfigMap shop/kept to be gone, which the finalizer example.com/kept holds; 1 more objects are still there",
			"see to it that the controller that set the finalizer runs: kubectl -n shop describe configmap kept"},
		"deleting, a part": {asked(component("web", deleted, below(component("part", deleted, below(held("a/b")))))),
			"is being deleted, and waits for Component shop/part, which is being deleted, and waits for ConfigMap shop/kept to be gone, which the finalizer a/b holds",
			"see to it that the controller that set the finalizer runs: kubectl -n shop describe configmap kept"},
		"deleting, foreign finalizer": {asked(component("web", deleted, foreign, unseen)),
			"is being deleted, and is held by what is not the agent's: the finalizer example.com/kept", "see to it that the controller that set the finalizer runs; it takes it away when it is done"},
		"deleting, nothing left": {asked(component("web", deleted)), "is being deleted: Everything that it owns is being deleted", "look again in a few seconds: wheel why component web -n shop"},
		"deleting, workflow failed": {asked(component("web", deleted, says(condition.Workflow, metav1.ConditionFalse, condition.ReasonWorkflowFailed,
			"In the workflow of the delete event, step backup failed: exit code 1."))),
			"is being deleted; it has a workflow that failed: step backup failed: exit code 1",
			"wheel workflow logs component web -n shop shows what its steps wrote; when that is mended, wheel workflow restart component web -n shop, or wheel workflow terminate component web -n shop to delete without it"},
	})
}

func TestStages(t *testing.T) {
	rendered := func(reason, message string) Facts {
		return asked(component("web", says(condition.Rendered, metav1.ConditionFalse, reason, message)))
	}
	applied := func(reason, message string, shapes ...shape) Facts {
		return asked(component("web", append(shapes, says(condition.Applied, metav1.ConditionFalse, reason, message))...))
	}
	workflow := func(status metav1.ConditionStatus, reason, message string, shapes ...shape) Facts {
		return asked(component("web", append(shapes, says(condition.Workflow, status, reason, message))...))
	}
	fromHub := rendered(condition.ReasonInvalidProperties, "spec.properties do not fit.")
	fromHub.Tree.Component.Labels = map[string]string{corev1alpha1.ApplicationLabel: "shop", corev1alpha1.ApplicationComponentLabel: "front"}
	made := rendered(condition.ReasonInvalidProperties, "spec.properties do not fit.")
	made.Tree.Component.Labels = map[string]string{corev1alpha1.ComponentNameLabel: "site", corev1alpha1.ComponentNamespaceLabel: "shop"}
	elsewhere := workflow(metav1.ConditionUnknown, condition.ReasonWorkflowSuspended, "Of the workflow of the create event: step approve: suspended.")
	elsewhere.Context = "dev-eu"
	const schema = "; wheel schema webservice --definitions DIR shows what it takes"
	check(t, map[string]question{
		"no definition":         {rendered(condition.ReasonDefinitionNotFound, "ComponentDefinition webservice is not installed."), "is not rendered: ComponentDefinition webservice is not installed", "wheel def apply DIR, where the folder has what is missing; or another type: kubectl -n shop edit component web"},
		"broken definition":     {rendered(condition.ReasonDefinitionInvalid, "webservice/template.cue:7:3: no."), "is not rendered: webservice/template.cue:7:3: no", "correct line 7 of webservice/template.cue in definition webservice, then wheel vet DIR and wheel def apply DIR"},
		"properties":            {rendered(condition.ReasonInvalidProperties, "spec.properties do not fit."), "is not rendered: spec.properties do not fit", "kubectl -n shop edit component web" + schema},
		"properties, from hub":  {fromHub, "is not rendered: spec.properties do not fit", "change component front of Application shop on the hub" + schema},
		"properties, of a part": {made, "is not rendered: spec.properties do not fit", "change Component shop/site, or its definition, which makes this one" + schema},
		"unresolved":            {rendered(condition.ReasonUnresolved, "no ConfigMap x."), "is not rendered: no ConfigMap x", "create what the properties take values from, or kubectl -n shop edit component web"},
		"exceeded":              {rendered(condition.ReasonEvaluationExceeded, "It took 10s."), "is not rendered: It took 10s", "make the definition do less; wheel render shows it without a cluster; it is tried again by itself"},
		"suspended":             {elsewhere, "is held by its workflow: step approve: suspended", "wheel workflow resume component web -n shop --context dev-eu"},
		"failed": {workflow(metav1.ConditionFalse, condition.ReasonWorkflowFailed, "In the workflow of the create event, step migrate failed."), "has a workflow that failed: step migrate failed",
			"wheel workflow logs component web -n shop shows what its steps wrote; when that is mended, wheel workflow restart component web -n shop"},
		"terminated": {workflow(metav1.ConditionFalse, condition.ReasonWorkflowTerminated, "Of the workflow of the create event: terminated."), "has a workflow that was ended: terminated", "wheel workflow restart component web -n shop"},
		"running":    {workflow(metav1.ConditionUnknown, condition.ReasonWorkflowRunning, "In the workflow of the create event, step migrate: runs."), "is not through with its workflow: step migrate: runs", "wheel workflow logs component web -n shop"},
		"a step's pod has no image": {workflow(metav1.ConditionUnknown, condition.ReasonWorkflowRunning, "In the workflow of the create event, step migrate: runs.", below(
			&live.Node{APIVersion: "batch/v1", Kind: "Job", Namespace: "shop", Name: "web-x", Health: live.InProgress, UID: "j", Below: []*live.Node{pod(live.Failed, "ErrImagePull", "no such image")}})),
			"is not through with its workflow: step migrate: runs; look at Pod shop/web-1: ErrImagePull, no such image",
			"correct the image's name, or the right to pull it; kubectl -n shop describe pod web-1 says more"},
		"refused":   {applied(condition.ReasonApplyFailed, "Deployment shop/web: spec.x: unknown."), "is not applied: Deployment shop/web: spec.x: unknown", "kubectl -n shop edit component web"},
		"forbidden": {applied(condition.ReasonApplyFailed, "Widget shop/web: widgets is forbidden."), "is not applied: Widget shop/web: widgets is forbidden", "give the agent's ServiceAccount the right that the message names; it tries again by itself"},
		"forbidden to an account": {applied(condition.ReasonApplyFailed, "Widget shop/web: widgets is forbidden.", says(condition.Verified, metav1.ConditionTrue, condition.ReasonStandalone, "By hand.")),
			"is not applied: Widget shop/web: widgets is forbidden",
			"kubectl -n shop create rolebinding default --clusterrole=edit --serviceaccount=shop:default, or a role with less; it is tried again by itself"},
		"owned":     {applied(condition.ReasonOwnedByAnother, "ConfigMap shop/a: belongs to Component shop/b already."), "is not applied: ConfigMap shop/a: belongs to Component shop/b already", "kubectl -n shop edit component web"},
		"leftovers": {applied(condition.ReasonProgressing, "Waiting for what is not rendered any more to be gone."), "is not applied: Waiting for what is not rendered any more to be gone", "wheel events component web -n shop"},
		"output":    {applied(condition.ReasonWaitingForOutput, "Waiting for output lb."), "is applied in part: Waiting for output lb", "wheel tree component web -n shop"},
	})
}

func TestHealth(t *testing.T) {
	failing := func(nodes ...*live.Node) Facts {
		return asked(component("web", unhealthy("0 of 1 pods are ready"), below(nodes...)))
	}
	check(t, map[string]question{
		"only its own word": {failing(), "is not healthy: 0 of 1 pods are ready", "wheel tree component web -n shop"},
		"broken expression": {asked(component("web", says(condition.Healthy, metav1.ConditionFalse, condition.ReasonHealthCheckFailed, "health.cue:2:1: no."))), "is not healthy: health.cue:2:1: no",
			"correct line 2 of health.cue in definition webservice, then wheel vet DIR and wheel def apply DIR"},
		"object": {failing(deployment(live.InProgress)), "is not healthy: 0 of 1 pods are ready; look at Deployment shop/web: InProgress, Available: 0/1", "kubectl -n shop describe deployment.apps web"},
		"crash": {failing(deployment(live.InProgress, pod(live.Failed, "CrashLoopBackOff", "it ended with code 1"))),
			"is not healthy: 0 of 1 pods are ready; look at Pod shop/web-1: CrashLoopBackOff, it ended with code 1", "kubectl -n shop logs web-1 --all-containers --previous"},
		"probe": {failing(deployment(live.InProgress, pod(live.InProgress, "NotReady", "it runs"))),
			"is not healthy: 0 of 1 pods are ready; look at Pod shop/web-1: NotReady, it runs", "kubectl -n shop logs web-1 --all-containers"},
		"no node": {failing(deployment(live.InProgress, pod(live.InProgress, "Unschedulable", "0/3 nodes"))),
			"is not healthy: 0 of 1 pods are ready; look at Pod shop/web-1: Unschedulable, 0/3 nodes", "kubectl -n shop describe pod web-1"},
		"gone":    {failing(deployment(live.Missing)), "is not healthy: 0 of 1 pods are ready; look at Deployment shop/web: Missing, Available: 0/1", "wheel events component web -n shop"},
		"foreign": {failing(deployment(live.Foreign)), "is not healthy: 0 of 1 pods are ready; look at Deployment shop/web: Foreign, Available: 0/1", "delete or rename the object that is in the way: kubectl -n shop describe deployment.apps web"},
		"a part": {failing(component("part", unhealthy("no leader"), below(deployment(live.Failed)))),
			"is not healthy because of Component shop/part, which is not healthy: no leader; look at Deployment shop/web: Failed, Available: 0/1", "kubectl -n shop describe deployment.apps web"},
	})
}

func TestDependencies(t *testing.T) {
	web := component("web", needing("db"))
	check(t, map[string]question{
		"not there": {among(asked(web), map[string]*live.Node{"db": nil}), "waits for Component shop/db, which is not on this cluster",
			"create Component shop/db, or take it out of what needs it: kubectl -n shop edit component web"},
		"not healthy": {among(asked(web), map[string]*live.Node{"db": component("db", unhealthy("no leader"))}), "waits for Component shop/db, which is not healthy: no leader", "wheel tree component db -n shop"},
		"behind another": {among(asked(web), map[string]*live.Node{"db": component("db", needing("disk")), "disk": component("disk", unhealthy("full"))}),
			"waits for Component shop/db, which waits for Component shop/disk, which is not healthy: full", "wheel tree component disk -n shop"},
		"a circle": {among(asked(web), map[string]*live.Node{"db": component("db", needing("web"))}),
			"waits for Component shop/db, which waits in a circle: shop/web → shop/db → shop/web",
			"take one of them out of the dependsOn, or the properties, of another: kubectl -n shop edit component db"},
		"itself": {asked(component("web", needing("web"))), "waits in a circle: shop/web → shop/web",
			"take one of them out of the dependsOn, or the properties, of another: kubectl -n shop edit component web"},
		"healthy by now": {among(asked(web), map[string]*live.Node{"db": component("db", healthy)}), "is not applied: Waiting", "wheel events component web -n shop"},
		"not read":       {asked(web), "is not applied: Waiting", "wheel events component web -n shop"},
	})
	if got := Explain(among(asked(web), map[string]*live.Node{"db": component("db", unhealthy("no leader"))})).Through; len(got) != 1 || got[0] != "shop/db" {
		t.Errorf("got through %v", got)
	}
}

func TestAnswersArePrintedInTwoLines(t *testing.T) {
	for want, answer := range map[string]Answer{
		"It waits.\nNext: wait\n":         {Because: "It waits.", Next: "wait"},
		"It is healthy: nothing to do.\n": {Because: "It is healthy: nothing to do."},
	} {
		var out bytes.Buffer
		if err := answer.Print(&out); err != nil || out.String() != want {
			t.Errorf("got %q, %v, want %q", out.String(), err, want)
		}
	}
}
