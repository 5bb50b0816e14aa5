package why

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"wheelwright.dev/wheelwright/cli/live"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
	"wheelwright.dev/wheelwright/shared/condition"
	"wheelwright.dev/wheelwright/shared/directive"
)

// needed are the Components that those of a tree wait for.
func needed(tree *live.Node) []client.ObjectKey {
	var keys []client.ObjectKey
	tree.Walk(func(node *live.Node) {
		if node.Component != nil && waits(node.Component) {
			keys = append(keys, needs(node.Component)...)
		}
	})
	return keys
}

// waits tells whether other Components keep this one from going on.
func waits(component *corev1alpha1.Component) bool {
	return slices.ContainsFunc(component.Status.Conditions, func(one metav1.Condition) bool {
		held := one.Reason == condition.ReasonWaitingForDependency || one.Reason == condition.ReasonUnresolved
		return held && one.Status != metav1.ConditionTrue
	})
}

// needs are the Components that this one needs: those of dependsOn, which the hub sees to where it dispatched the Component, and
// those that its properties take values from.
func needs(component *corev1alpha1.Component) []client.ObjectKey {
	var names []string
	if component.Spec.Revision == "" {
		for _, dependency := range component.Spec.DependsOn {
			names = append(names, dependency.Name)
		}
	}
	prefix := ""
	if application := component.Labels[corev1alpha1.ApplicationLabel]; application != "" {
		prefix = application + "-"
	}
	properties := [][]byte{}
	if component.Spec.Properties != nil {
		properties = append(properties, component.Spec.Properties.Raw)
	}
	for _, trait := range component.Spec.Traits {
		if trait.Properties != nil {
			properties = append(properties, trait.Properties.Raw)
		}
	}
	for _, one := range properties {
		for _, name := range directive.Dependencies(one) {
			names = append(names, prefix+name)
		}
	}
	var keys []client.ObjectKey
	for _, name := range names {
		if key := (client.ObjectKey{Namespace: component.Namespace, Name: name}); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}
