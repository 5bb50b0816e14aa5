package registration

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"
)

const (
	// DefaultSet holds the clusters that are in no other set.
	DefaultSet = "default"
	// GlobalSet holds all clusters.
	GlobalSet = "global"
)

// builtInSets are the ManagedClusterSets that every hub has.
var builtInSets = map[string]clusterv1beta2.ManagedClusterSelector{
	DefaultSet: {SelectorType: clusterv1beta2.ExclusiveClusterSetLabel},
	GlobalSet:  {SelectorType: clusterv1beta2.LabelSelector, LabelSelector: &metav1.LabelSelector{}},
}

// syncSet makes a built-in set again when it is missing.
func (h *Hub) syncSet(ctx context.Context, name string) (time.Duration, error) {
	selector, builtIn := builtInSets[name]
	if !builtIn {
		return 0, nil
	}
	_, err := h.clusterClient.ClusterV1beta2().ManagedClusterSets().Create(ctx, &clusterv1beta2.ManagedClusterSet{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       clusterv1beta2.ManagedClusterSetSpec{ClusterSelector: selector},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return 0, nil
	}
	return 0, err
}
