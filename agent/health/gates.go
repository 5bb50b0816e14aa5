package health

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// appsGroup is the group of Kubernetes' workloads.
const appsGroup = "apps"

// observed says what is missing until the controller of live has seen its newest generation, or "".
func observed(live *unstructured.Unstructured) string {
	generation := live.GetGeneration()
	seen, found, err := unstructured.NestedInt64(live.Object, "status", "observedGeneration")
	switch {
	case err != nil:
		return "" // a field of that name that is no generation
	case found && seen < generation:
		return fmt.Sprintf("its controller has seen generation %d of %d", seen, generation)
	case !found && alwaysObserved(live.GroupVersionKind()):
		return "its controller has not seen it yet"
	}
	return ""
}

func alwaysObserved(kind schema.GroupVersionKind) bool {
	if kind.Group == corev1alpha1.GroupVersion.Group {
		return kind.Kind == "Component"
	}
	if kind.Group != appsGroup {
		return false
	}
	switch kind.Kind {
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet":
		return true
	}
	return false
}

// rolledOut says what is missing until every pod of live is made from its newest template, or "".
func rolledOut(live *unstructured.Unstructured) string {
	kind := live.GroupVersionKind()
	if kind.Group != appsGroup {
		return ""
	}
	switch kind.Kind {
	case "Deployment":
		return deploymentRolledOut(live)
	case "StatefulSet":
		return statefulSetRolledOut(live)
	case "DaemonSet":
		return daemonSetRolledOut(live)
	}
	return ""
}

func deploymentRolledOut(live *unstructured.Unstructured) string {
	wanted := count(live, 1, "spec", "replicas")
	updated := count(live, 0, "status", "updatedReplicas")
	total := count(live, 0, "status", "replicas")
	switch {
	case updated < wanted:
		return fmt.Sprintf("%d of %d pods are up to date", updated, wanted)
	case total > updated:
		return fmt.Sprintf("%d old pods are still there", total-updated)
	}
	return ""
}

// statefulSetRolledOut leaves out the pods below a partition, which are meant to stay old.
func statefulSetRolledOut(live *unstructured.Unstructured) string {
	if strategyOf(live) == "OnDelete" {
		return ""
	}
	wanted := count(live, 1, "spec", "replicas")
	partition := count(live, 0, "spec", "updateStrategy", "rollingUpdate", "partition")
	updated := count(live, 0, "status", "updatedReplicas")
	if updated < wanted-partition {
		return fmt.Sprintf("%d of %d pods are up to date", updated, wanted-partition)
	}
	return ""
}

func daemonSetRolledOut(live *unstructured.Unstructured) string {
	if strategyOf(live) == "OnDelete" {
		return ""
	}
	wanted := count(live, 0, "status", "desiredNumberScheduled")
	if updated := count(live, 0, "status", "updatedNumberScheduled"); updated < wanted {
		return fmt.Sprintf("%d of %d pods are up to date", updated, wanted)
	}
	return ""
}

func strategyOf(live *unstructured.Unstructured) string {
	strategy, _, _ := unstructured.NestedString(live.Object, "spec", "updateStrategy", "type")
	return strategy
}

// count reads a number, which is absent where it is the default.
func count(live *unstructured.Unstructured, absent int64, path ...string) int64 {
	number, found, err := unstructured.NestedInt64(live.Object, path...)
	if err != nil || !found {
		return absent
	}
	return number
}
