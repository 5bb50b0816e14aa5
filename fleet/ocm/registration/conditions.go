package registration

import (
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
)

// leaseName is the name of each cluster's lease in its namespace.
const leaseName = "managed-cluster-lease"

// graceFactor is how many lease durations may pass without a renewal.
const graceFactor = 5

// remaining is how long the lease of the cluster is still good for; negative when it has expired.
func remaining(cluster *clusterv1.ManagedCluster, lease *coordinationv1.Lease, now time.Time) time.Duration {
	duration := time.Duration(cluster.Spec.LeaseDurationSeconds) * time.Second
	if duration == 0 {
		duration = DefaultLeaseDuration
	}
	if lease.Spec.RenewTime == nil {
		return -duration
	}
	return lease.Spec.RenewTime.Add(graceFactor * duration).Sub(now)
}

func accepted() metav1.Condition {
	return metav1.Condition{
		Type:    clusterv1.ManagedClusterConditionHubAccepted,
		Status:  metav1.ConditionTrue,
		Reason:  "HubClusterAdminAccepted",
		Message: "Accepted by hub cluster admin",
	}
}

func joined() metav1.Condition {
	return metav1.Condition{
		Type:    clusterv1.ManagedClusterConditionJoined,
		Status:  metav1.ConditionTrue,
		Reason:  "ManagedClusterJoined",
		Message: "Managed cluster joined",
	}
}

// available says what asking the cluster's API server for its health means.
func available(err error) metav1.Condition {
	condition := metav1.Condition{
		Type:    clusterv1.ManagedClusterConditionAvailable,
		Status:  metav1.ConditionTrue,
		Reason:  "ManagedClusterAvailable",
		Message: "Managed cluster is available",
	}
	if err != nil {
		condition.Status = metav1.ConditionFalse
		condition.Reason = "ManagedClusterKubeAPIServerUnavailable"
		condition.Message = "The kube-apiserver is not ok, " + err.Error()
	}
	return condition
}

func leaseExpired() metav1.Condition {
	return metav1.Condition{
		Type:    clusterv1.ManagedClusterConditionAvailable,
		Status:  metav1.ConditionUnknown,
		Reason:  "ManagedClusterLeaseUpdateStopped",
		Message: "Registration agent stopped updating its lease.",
	}
}

// withTaints returns the cluster's taints with the one that its availability calls for, and
// without the one that it does not. Placements go by them.
func withTaints(taints []clusterv1.Taint, conditions []metav1.Condition, now time.Time) []clusterv1.Taint {
	var due string
	switch condition := meta.FindStatusCondition(conditions, clusterv1.ManagedClusterConditionAvailable); {
	case condition == nil || condition.Status == metav1.ConditionUnknown:
		due = clusterv1.ManagedClusterTaintUnreachable
	case condition.Status == metav1.ConditionFalse:
		due = clusterv1.ManagedClusterTaintUnavailable
	}
	kept := slices.DeleteFunc(slices.Clone(taints), func(taint clusterv1.Taint) bool {
		ours := taint.Key == clusterv1.ManagedClusterTaintUnreachable || taint.Key == clusterv1.ManagedClusterTaintUnavailable
		return ours && taint.Key != due
	})
	if due == "" || slices.ContainsFunc(kept, func(taint clusterv1.Taint) bool { return taint.Key == due }) {
		return kept
	}
	return append(kept, clusterv1.Taint{Key: due, Effect: clusterv1.TaintEffectNoSelect, TimeAdded: metav1.NewTime(now)})
}
