package live

import (
	"context"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/agent/workflow"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// plain are the groups whose kinds never have pods below them. Of any other, custom resources among them, it is not known.
var plain = []string{
	"", corev1alpha1.GroupVersion.Group, "rbac.authorization.k8s.io", "networking.k8s.io", "policy", "autoscaling", "apiextensions.k8s.io",
	"storage.k8s.io", "scheduling.k8s.io", "admissionregistration.k8s.io",
}

// workloads adds the ReplicaSets, Jobs and pods below what was read, and the Jobs of workflow steps. Each of the three kinds is
// listed once for each namespace that may hold any.
func (r *reading) workloads(ctx context.Context) error {
	for _, namespace := range r.namespaces() {
		children := map[types.UID][]*Node{}
		for _, read := range []func(context.Context, string, map[types.UID][]*Node) error{r.replicaSets, r.jobs, r.pods} {
			err := read(ctx, namespace, children)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				r.root.Unread = append(r.root.Unread, refusal("the ReplicaSets, Jobs and pods of namespace "+namespace, err))
			}
		}
		attach(r.root, children, map[types.UID]bool{})
	}
	return nil
}

// namespaces are those in which something may have pods.
func (r *reading) namespaces() []string {
	found := map[string]bool{}
	r.root.Walk(func(node *Node) {
		if kind := schema.FromAPIVersionAndKind(node.APIVersion, node.Kind); !slices.Contains(plain, kind.Group) && node.Present() {
			found[node.Namespace] = true
		}
		if node.Component != nil && node.Component.Status.WorkflowRun != nil {
			found[node.Namespace] = true
		}
	})
	delete(found, "")
	return slices.Sorted(maps.Keys(found))
}

// replicaSets reads those that have pods, or should.
func (r *reading) replicaSets(ctx context.Context, namespace string, children map[types.UID][]*Node) error {
	sets := &appsv1.ReplicaSetList{}
	err := r.reader.List(ctx, sets, client.InNamespace(namespace))
	for i := range sets.Items {
		set := &sets.Items[i]
		if set.Status.Replicas == 0 && (set.Spec.Replicas == nil || *set.Spec.Replicas == 0) {
			continue
		}
		add(children, set, newBelow(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet")))
	}
	return err
}

// jobs reads those that belong to other objects, as a CronJob, and those that are steps of a workflow.
func (r *reading) jobs(ctx context.Context, namespace string, children map[types.UID][]*Node) error {
	jobs := &batchv1.JobList{}
	err := r.reader.List(ctx, jobs, client.InNamespace(namespace))
	for i := range jobs.Items {
		job := &jobs.Items[i]
		node := newBelow(job, batchv1.SchemeGroupVersion.WithKind("Job"))
		step, isStep := job.Annotations[workflow.StepAnnotation]
		if !isStep {
			add(children, job, node)
			continue
		}
		node.Step = step
		owner := types.UID(job.Labels[corev1alpha1.ComponentUIDLabel])
		children[owner] = append(children[owner], node)
	}
	return err
}

func (r *reading) pods(ctx context.Context, namespace string, children map[types.UID][]*Node) error {
	pods := &corev1.PodList{}
	err := r.reader.List(ctx, pods, client.InNamespace(namespace))
	for i := range pods.Items {
		pod := &pods.Items[i]
		node := &Node{APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}
		node.takePod(pod)
		add(children, pod, node)
	}
	return err
}

// newBelow makes the node of an object that the Component did not make itself.
func newBelow(object client.Object, kind schema.GroupVersionKind) *Node {
	node := &Node{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Namespace: object.GetNamespace(), Name: object.GetName()}
	node.takeMetadata(object)
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		node.Health, node.Message = Unreadable, err.Error()
		return node
	}
	live := &unstructured.Unstructured{Object: fields}
	live.SetGroupVersionKind(kind)
	node.judge(live)
	return node
}

// add notes a node under the objects that own it.
func add(children map[types.UID][]*Node, object metav1.Object, node *Node) {
	if owner := metav1.GetControllerOf(object); owner != nil {
		children[owner.UID] = append(children[owner.UID], node)
	}
}

// attach hangs children below their owners, each object once.
func attach(node *Node, children map[types.UID][]*Node, done map[types.UID]bool) {
	if node.UID == "" || done[node.UID] {
		return
	}
	done[node.UID] = true
	node.Below = append(node.Below, children[node.UID]...)
	for _, below := range node.Below {
		attach(below, children, done)
	}
}
