package application

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
)

// announce tells people of an Application that became ready, or that stopped for a reason. Being on the way is no news.
func (r *Reconciler) announce(before, after *corev1alpha1.Application) {
	old := meta.FindStatusCondition(before.Status.Conditions, condition.Ready)
	now := meta.FindStatusCondition(after.Status.Conditions, condition.Ready)
	if now == nil || now.Reason == condition.ReasonProgressing || now.Reason == condition.ReasonDeleting {
		return
	}
	if old != nil && old.Reason == now.Reason && old.ObservedGeneration == now.ObservedGeneration {
		return
	}
	typ := corev1.EventTypeWarning
	if now.Status == metav1.ConditionTrue {
		typ = corev1.EventTypeNormal
	}
	r.recorder.Event(after, typ, now.Reason, now.Message)
}
