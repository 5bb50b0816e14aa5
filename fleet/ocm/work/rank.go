package work

import (
	"cmp"
	"slices"
)

const (
	rankUnlisted = 1000
	rankUnparsed = 1001
)

// ranks orders the application of one work's manifests: what others stand on comes first.
var ranks = map[string]int{
	"PriorityClass":            0,
	"Namespace":                0,
	"CustomResourceDefinition": 0,
	"StorageClass":             0,
	"PersistentVolume":         0,
	"PodSecurityPolicy":        0,

	"ClusterRole":        1,
	"ClusterRoleBinding": 1,
	"Role":               1,
	"RoleBinding":        1,

	"NetworkPolicy":       2,
	"ResourceQuota":       2,
	"LimitRange":          2,
	"PodDisruptionBudget": 2,
	"ServiceAccount":      2,

	"Secret":                3,
	"ConfigMap":             3,
	"PersistentVolumeClaim": 3,

	"Service": 4,

	"Pod":                     5,
	"Deployment":              5,
	"DaemonSet":               5,
	"ReplicaSet":              5,
	"ReplicationController":   5,
	"StatefulSet":             5,
	"HorizontalPodAutoscaler": 5,
	"Job":                     5,
	"CronJob":                 5,

	"APIService":                       6,
	"MutatingWebhookConfiguration":     6,
	"ValidatingWebhookConfiguration":   6,
	"ValidatingAdmissionPolicy":        6,
	"ValidatingAdmissionPolicyBinding": 6,
}

// rank is a manifest's place in the order, by its kind alone, whatever the group.
func rank(m manifest) int {
	if m.object == nil {
		return rankUnparsed
	}
	if rank, listed := ranks[m.object.GetKind()]; listed {
		return rank
	}
	return rankUnlisted
}

// inApplyOrder returns the manifests by rank; those of one rank stay in the work's order.
func inApplyOrder(manifests []manifest) []manifest {
	ordered := slices.Clone(manifests)
	slices.SortStableFunc(ordered, func(a, b manifest) int { return cmp.Compare(rank(a), rank(b)) })
	return ordered
}
