package admission

import (
	"context"
	"encoding/json"
	"fmt"

	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"wheelwright.dev/wheelwright/fleet/ocm/registration"
)

// defaultClusterSet puts ManagedClusters without a set into the default one.
func defaultClusterSet(_ context.Context, request admission.Request) admission.Response {
	cluster := &clusterv1.ManagedCluster{}
	if err := json.Unmarshal(request.Object.Raw, cluster); err != nil {
		return deny(fmt.Errorf("the ManagedCluster cannot be decoded: %w", err))
	}
	if cluster.Labels[clusterv1beta2.ClusterSetLabel] != "" {
		return admission.Allowed("")
	}
	// Only the label is touched, in the object as it came: it may have fields of a newer release.
	var object map[string]any
	if err := json.Unmarshal(request.Object.Raw, &object); err != nil {
		return deny(fmt.Errorf("the ManagedCluster cannot be decoded: %w", err))
	}
	labels := map[string]string{clusterv1beta2.ClusterSetLabel: registration.DefaultSet}
	for key, value := range cluster.Labels {
		if key != clusterv1beta2.ClusterSetLabel {
			labels[key] = value
		}
	}
	object["metadata"].(map[string]any)["labels"] = labels
	changed, err := json.Marshal(object)
	if err != nil {
		return deny(fmt.Errorf("the ManagedCluster cannot be encoded: %w", err))
	}
	return admission.PatchResponseFromRaw(request.Object.Raw, changed)
}
