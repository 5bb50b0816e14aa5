package object

import "k8s.io/apimachinery/pkg/runtime/schema"

// ranks order kinds so that what others need comes first: what they live in and are made of, what they run as, what they
// read, what reaches them, then they themselves. Kinds that are not here, custom resources above all, come last.
var ranks = map[schema.GroupKind]int{
	{Kind: "Namespace"}: 0,
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: 0,
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:               0,
	{Group: "storage.k8s.io", Kind: "StorageClass"}:                   0,

	{Kind: "ServiceAccount"}:                                         1,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:        1,
	{Group: "rbac.authorization.k8s.io", Kind: "Role"}:               1,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}: 1,
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:        1,

	{Kind: "ConfigMap"}:             2,
	{Kind: "Secret"}:                2,
	{Kind: "LimitRange"}:            2,
	{Kind: "ResourceQuota"}:         2,
	{Kind: "PersistentVolume"}:      2,
	{Kind: "PersistentVolumeClaim"}: 2,

	{Kind: "Service"}: 3,
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}: 3,

	{Kind: "Pod"}:                                  4,
	{Kind: "ReplicationController"}:                4,
	{Group: "apps", Kind: "Deployment"}:            4,
	{Group: "apps", Kind: "StatefulSet"}:           4,
	{Group: "apps", Kind: "DaemonSet"}:             4,
	{Group: "apps", Kind: "ReplicaSet"}:            4,
	{Group: "batch", Kind: "Job"}:                  4,
	{Group: "batch", Kind: "CronJob"}:              4,
	{Group: "policy", Kind: "PodDisruptionBudget"}: 4,
}

// lastRank is that of every kind that ranks does not have.
const lastRank = 5

// Rank is the place of a kind in the order of applying: lower ranks come first, and are removed last.
func Rank(group, kind string) int {
	if rank, ok := ranks[schema.GroupKind{Group: group, Kind: kind}]; ok {
		return rank
	}
	return lastRank
}
