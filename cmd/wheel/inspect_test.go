package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/live"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/definition"
)

// pickySource renders a Deployment that no node will take, unless it is told another size.
const pickySource = `parameters: {where: *"nowhere" | string, replicas: *1 | int}
#labels: app: context.name
outputs: [
	{name: "settings", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "\(context.name)-settings", data: where: parameters.where}},
	{name: "workload", value: {
		apiVersion: "apps/v1", kind: "Deployment", metadata: name: context.name
		spec: {replicas: parameters.replicas, selector: matchLabels: #labels, template: {metadata: labels: #labels, spec: {
			nodeSelector: zone: parameters.where
			containers: [{name: "main", image: "picky:1"}]
		}}}
	}, statusPaths: [{name: "ready", path: ".status.readyReplicas"}]},
]
isHealthy: *(context.status.workload.ready == parameters.replicas) | (parameters.replicas == 0)
message:   "it wants \(parameters.replicas) pods in \(parameters.where)"
`

const plainSource = `parameters: text: *"hello" | string
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "\(context.name)-config", data: text: parameters.text}}]
`

const parentSource = `parameters: {}
outputs: [{name: "inner", type: "component", value: {type: "picky"}}]
`

const heldSource = `parameters: {}
outputs: [{name: "config", value: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "\(context.name)-config"}}]
workflow: create: [{type: "suspend", name: "approve"}, {type: "dispatch"}]
`

func inline(name, source string) definition.Definition {
	return definition.Definition{Name: name, APIVersion: "v1", Files: map[string]string{"template.cue": source}}
}

func (w *world) component(name string, def definition.Definition, change ...func(*corev1alpha1.ComponentSpec)) *corev1alpha1.Component {
	w.t.Helper()
	made := &corev1alpha1.Component{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name},
		Spec:       corev1alpha1.ComponentSpec{Type: def.Name, DefinitionSnapshot: def.Snapshot()},
	}
	for _, one := range change {
		one(&made.Spec)
	}
	w.create(made)
	return made
}

func properties(text string) func(*corev1alpha1.ComponentSpec) {
	return func(spec *corev1alpha1.ComponentSpec) { spec.Properties = &runtime.RawExtension{Raw: []byte(text)} }
}

func needs(names ...string) func(*corev1alpha1.ComponentSpec) {
	return func(spec *corev1alpha1.ComponentSpec) {
		for _, name := range names {
			spec.DependsOn = append(spec.DependsOn, corev1alpha1.Dependency{Name: name})
		}
	}
}

// TestRealComponents shows what people see of Components that a real agent works on, on a real cluster.
func TestRealComponents(t *testing.T) {
	w := newWorld(t)
	w.startAgent()
	picky := inline("picky", pickySource)

	t.Run("healthy", func(t *testing.T) {
		w := w.in(t)
		w.component("plain", inline("plain", plainSource))
		w.shows(whyCommand, []string{"component", "plain"}, "Component "+w.namespace+"/plain is healthy: nothing to do.")
		if _, code := w.wheel(whyCommand(), "component", "plain"); code != 0 {
			t.Errorf("the exit code of a healthy Component is %d", code)
		}
		w.shows(treeCommand, []string{"component", "plain"}, "Component plain - Current", "└─ ConfigMap plain-config config Current")
		w.shows(getCommand, []string{"component", "plain"}, "Generation: 1, seen by the agent", "Event: create", "Rendered True", "Next: wheel tree component plain")
		w.shows(eventsCommand, []string{"component", "plain"}, "Component "+w.namespace+"/plain Applied Applied ConfigMap "+w.namespace+"/plain-config.")
	})
	t.Run("pods that no node takes", func(t *testing.T) {
		w := w.in(t)
		w.component("picky", picky)
		out := w.shows(whyCommand, []string{"component", "picky"}, "Unschedulable", "Next: kubectl -n "+w.namespace+" describe pod picky-")
		if strings.Count(out, "\n") != 2 {
			t.Errorf("it says more than a sentence and a command: %q", out)
		}
		w.shows(treeCommand, []string{"component", "picky"}, "Deployment picky", "└─ ReplicaSet picky-", "└─ Pod picky-", "InProgress (Unschedulable)")
		w.shows(eventsCommand, []string{"component", "picky"}, "FailedScheduling", "SuccessfulCreate")
		w.failPods("ImagePullBackOff", `Back-off pulling image "picky:1"`)
		w.shows(whyCommand, []string{"component", "picky"}, `ImagePullBackOff, container main waits: Back-off pulling image "picky:1".`, "Next: correct the image's name")
		w.shows(treeCommand, []string{"component", "picky"}, "Failed (ImagePullBackOff)")
	})
	t.Run("dependencies", func(t *testing.T) {
		w := w.in(t)
		w.component("front", inline("plain", plainSource), needs("middle"))
		w.component("middle", inline("plain", plainSource), needs("picky"))
		w.shows(whyCommand, []string{"component", "front"},
			"/front waits for Component "+w.namespace+"/middle, which waits for Component "+w.namespace+"/picky, which is not healthy:", "ImagePullBackOff")
		w.component("lonely", inline("plain", plainSource), needs("nobody"))
		w.shows(whyCommand, []string{"component", "lonely"}, "waits for Component "+w.namespace+"/nobody, which is not on this cluster.")
		w.component("egg", inline("plain", plainSource), needs("hen"))
		w.component("hen", inline("plain", plainSource), needs("egg"))
		w.shows(whyCommand, []string{"component", "egg"}, "in a circle: "+w.namespace+"/egg → "+w.namespace+"/hen → "+w.namespace+"/egg.")
	})
	t.Run("what a definition refuses", func(t *testing.T) {
		w := w.in(t)
		w.component("wrong", inline("plain", plainSource), properties(`{"text": 5}`))
		w.shows(whyCommand, []string{"component", "wrong"}, "is not rendered: spec.properties do not fit plain", "Next: kubectl -n "+w.namespace+" edit component wrong")
		w.component("broken", inline("broken", "parameters: {}\noutputs: [\n"))
		w.shows(whyCommand, []string{"component", "broken"}, "is not rendered", "correct line 2 of broken/template.cue in definition broken, then wheel vet DIR")
	})
	t.Run("composition", func(t *testing.T) {
		w := w.in(t)
		w.component("site", inline("parent", parentSource), func(spec *corev1alpha1.ComponentSpec) {
			inner := picky.Snapshot()
			spec.DefinitionSnapshot.Components = []corev1alpha1.ComponentSnapshot{{Type: "picky", Name: "picky", DefinitionContent: inner.DefinitionContent}}
		})
		w.shows(whyCommand, []string{"component", "site"}, "/site is not healthy because of Component "+w.namespace+"/site-inner, which is not healthy", "Unschedulable")
		w.shows(treeCommand, []string{"component", "site"}, "└─ Component site-inner inner", "└─ ConfigMap site-inner-settings", "Pod site-inner-")
	})
	t.Run("workflow", func(t *testing.T) {
		w := w.in(t)
		w.component("held", inline("held", heldSource))
		w.shows(whyCommand, []string{"component", "held"}, "is held by its workflow", "Next: wheel workflow resume component held -n "+w.namespace)
		w.shows(getCommand, []string{"component", "held"}, "Workflow of the create event: suspended", "approve suspend suspending")
	})
	t.Run("many", func(t *testing.T) {
		w := w.in(t)
		w.shows(getCommand, []string{"component"}, "NAME TYPE READY REASON AGE MESSAGE", "WaitingForDependency", "WorkflowSuspended")
		out, _ := w.wheel(getCommand(), "component", "-o", "json")
		list := &corev1alpha1.ComponentList{}
		if err := json.Unmarshal([]byte(out), list); err != nil || len(list.Items) != 12 {
			t.Errorf("got %d Components, %v", len(list.Items), err)
		}
	})
	t.Run("events as they come", func(t *testing.T) { w.in(t).follow() })
	t.Run("rights of a namespace", func(t *testing.T) { w.in(t).restricted() })
	t.Run("deletion", func(t *testing.T) { w.in(t).deletion() })
}

// deletion deletes a Component of which somebody else holds an object.
func (w *world) deletion() {
	w.t.Helper()
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "plain-config"}}
	w.patch(config, `{"metadata": {"finalizers": ["example.com/kept"]}}`)
	if err := w.client.Delete(w.t.Context(), &corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "plain"}}); err != nil {
		w.t.Fatal(err)
	}
	w.shows(whyCommand, []string{"component", "plain"},
		fmt.Sprintf("is being deleted, and waits for ConfigMap %s/plain-config to be gone, which the finalizer example.com/kept holds.", w.namespace))
	w.shows(treeCommand, []string{"component", "plain"}, "Terminating", "held by example.com/kept")
	w.patch(config, `{"metadata": {"finalizers": null}}`)
	w.shows(whyCommand, []string{"component", "plain"}, "Component "+w.namespace+"/plain is not on this cluster: run wheel get component -A")
}

// failPods says of the pods of the namespace what a kubelet would whose container cannot start.
func (w *world) failPods(reason, message string) {
	w.t.Helper()
	pods := &corev1.PodList{}
	if err := w.client.List(w.t.Context(), pods, client.InNamespace(w.namespace)); err != nil {
		w.t.Fatal(err)
	}
	for i := range pods.Items {
		pods.Items[i].Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
		}}
		w.writeStatus(&pods.Items[i])
	}
}

// follow watches the events of a Component while pods come that were not there when it began.
func (w *world) follow() {
	w.t.Helper()
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	command, out := eventsCommand(), &lockedBuffer{}
	command.SetOut(out)
	command.SetArgs([]string{"component", "picky", "-n", w.namespace, "--watch"})
	ended := make(chan error, 1)
	go func() { ended <- command.ExecuteContext(ctx) }()
	w.eventually("old events are shown", func() string { return missing(out.String(), "SuccessfulCreate") })
	w.patch(&corev1alpha1.Component{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "picky"}}, `{"spec": {"properties": {"replicas": 2, "where": "elsewhere"}}}`)
	w.eventually("events of the new ReplicaSet and its pods are shown", func() string {
		pods := &corev1.PodList{}
		if err := w.client.List(ctx, pods, client.InNamespace(w.namespace), client.MatchingLabels{"app": "picky"}); err != nil {
			return err.Error()
		}
		for _, pod := range pods.Items {
			if pod.Spec.NodeSelector["zone"] == "elsewhere" {
				return missing(out.String(), "Pod "+w.namespace+"/"+pod.Name+"  FailedScheduling:")
			}
		}
		return "no new pods"
	})
	if text := out.String(); strings.Contains(text, "site-inner") {
		w.t.Errorf("events of another Component are shown:\n%s", text)
	}
	stop()
	if err := <-ended; err != nil {
		w.t.Errorf("an interruption, which is how it ends, is an error: %v", err)
	}
}

// restricted reads with the rights of a person who may see Components, and little else.
func (w *world) restricted() {
	w.t.Helper()
	rules := []rbacv1.PolicyRule{
		{APIGroups: []string{corev1alpha1.GroupVersion.Group}, Resources: []string{"components"}, Verbs: []string{"get", "list"}},
		{APIGroups: []string{corev1alpha1.GroupVersion.Group}, Resources: []string{"resourcetrackers"}, Verbs: []string{"get"}},
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list"}},
	}
	name := metav1.ObjectMeta{Name: w.namespace + "-reader"}
	admin := w.clientset()
	if _, err := admin.RbacV1().ClusterRoles().Create(w.t.Context(), &rbacv1.ClusterRole{ObjectMeta: name, Rules: rules}, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	_, err := admin.RbacV1().ClusterRoleBindings().Create(w.t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: name, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: name.Name}},
	}, metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	as := rest.CopyConfig(clusterConfig)
	as.Impersonate.UserName = name.Name
	reader, err := live.Connect(as)
	if err != nil {
		w.t.Fatal(err)
	}
	w.eventually("the reader sees what it may", func() string {
		component, err := live.Get(w.t.Context(), reader, client.ObjectKey{Namespace: w.namespace, Name: "picky"})
		if err != nil {
			return err.Error()
		}
		tree, err := live.Tree(w.t.Context(), reader, component)
		if err != nil {
			return err.Error()
		}
		var out bytes.Buffer
		if err := (&live.Printer{Now: time.Now()}).Print(&out, tree); err != nil {
			w.t.Fatal(err)
		}
		text := strings.Join(strings.Fields(out.String()), " ")
		return missing(text, "Deployment picky - Unreadable - you may not read objects of kind Deployment.apps in namespace "+w.namespace,
			"ConfigMap picky-settings settings Current")
	})
}
