package live

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	corev1 "k8s.io/api/core/v1"

	"wheelwright.dev/wheelwright/cli/terminal"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/cue"
)

// take fills a node from the object that it is about.
func (n *Node) take(object *unstructured.Unstructured) {
	n.takeMetadata(object)
	n.Output = terminal.Clean(object.GetLabels()[corev1alpha1.OutputLabel])
	kind := object.GroupVersionKind()
	switch {
	case cue.IsComponent(object):
		component := &corev1alpha1.Component{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, component); err != nil {
			n.Health, n.Message = Unreadable, terminal.Clean(err.Error())
			return
		}
		n.takeComponent(component)
	case kind.Group == "" && kind.Kind == "Pod":
		pod := &corev1.Pod{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, pod); err != nil {
			n.Health, n.Message = Unreadable, terminal.Clean(err.Error())
			return
		}
		n.takePod(pod)
	default:
		n.judge(object)
	}
}

// takeMetadata fills what all kinds have.
func (n *Node) takeMetadata(object metav1.Object) {
	n.UID = object.GetUID()
	if made := object.GetCreationTimestamp(); !made.IsZero() {
		n.Created = &made.Time
	}
	if object.GetDeletionTimestamp() != nil {
		n.Held = slices.DeleteFunc(slices.Clone(object.GetFinalizers()), func(name string) bool { return name == corev1alpha1.ComponentFinalizer })
	}
}

// judge says how an object stands by what is common to Kubernetes' kinds.
func (n *Node) judge(object *unstructured.Unstructured) {
	result, err := status.Compute(object)
	if err != nil {
		n.Health, n.Message = Unreadable, terminal.Clean("its status follows no convention: "+err.Error())
		return
	}
	n.Health = Health(result.Status)
	if _, known := severities[n.Health]; !known {
		n.Health = Unreadable
	}
	if n.Health == Current {
		return
	}
	n.Message = terminal.Clean(result.Message)
	if len(result.Conditions) > 0 {
		n.Reason = terminal.Clean(result.Conditions[0].Reason)
	}
}

// takeComponent judges a Component by its own word, where it speaks of what is wanted now.
func (n *Node) takeComponent(component *corev1alpha1.Component) {
	n.takeMetadata(component)
	n.Component = component
	ready := meta.FindStatusCondition(component.Status.Conditions, condition.Ready)
	switch {
	case component.DeletionTimestamp != nil:
		n.Health = Terminating
	case component.Status.ObservedGeneration < component.Generation || ready == nil:
		n.Health, n.Reason, n.Message = InProgress, condition.ReasonProgressing, "the agent has not answered yet"
		return
	case ready.Status == metav1.ConditionTrue:
		n.Health = Current
	case component.Status.IsHealthy == nil:
		n.Health = InProgress
	default:
		n.Health = Failed
	}
	if ready != nil && n.Health != Current {
		n.Reason, n.Message = terminal.Clean(ready.Reason), terminal.Clean(ready.Message)
	}
}

// takePod says of a pod what people look for first.
func (n *Node) takePod(pod *corev1.Pod) {
	n.takeMetadata(pod)
	health, reason, message := podState(pod)
	n.Health, n.Reason, n.Message = health, terminal.Clean(cmp.Or(reason, string(pod.Status.Phase))), terminal.Clean(message)
}

// Age of the object, or 0 where it is not known.
func (n *Node) Age(now time.Time) time.Duration {
	if n.Created == nil {
		return 0
	}
	return max(now.Sub(*n.Created), 0)
}
