package registration

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	clusterclient "open-cluster-management.io/api/client/cluster/clientset/versioned"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
)

// DefaultLeaseDuration is how often a cluster's lease is renewed unless it says otherwise.
const DefaultLeaseDuration = time.Minute

// Cluster describes a cluster that is to join.
type Cluster struct {
	// Name is the cluster's, and its namespace's on the hub.
	Name string
	// Labels are what placements select by. Without the clusterset label the cluster joins the
	// set "default".
	Labels map[string]string
	// LeaseDuration, in whole seconds, is how often the lease is renewed; five times that
	// without a renewal make the cluster unknown. Default DefaultLeaseDuration.
	LeaseDuration time.Duration
}

// Join makes the hub accept the cluster. When it has joined before, its labels are updated and
// its lease duration is set anew.
func Join(ctx context.Context, hubConfig *rest.Config, cluster Cluster) error {
	clients, err := clusterclient.NewForConfig(hubConfig)
	if err != nil {
		return fmt.Errorf("cannot make a client to join cluster %s: %w", cluster.Name, err)
	}
	hubClient := clients.ClusterV1().ManagedClusters()
	seconds := int32(max(cluster.LeaseDuration, 0).Round(time.Second) / time.Second)
	if seconds == 0 {
		seconds = int32(DefaultLeaseDuration / time.Second)
	}

	_, err = hubClient.Create(ctx, &clusterv1.ManagedCluster{
		ObjectMeta: metav1.ObjectMeta{Name: cluster.Name, Labels: cluster.Labels},
		Spec:       clusterv1.ManagedClusterSpec{HubAcceptsClient: true, LeaseDurationSeconds: seconds},
	}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"labels": cluster.Labels},
		"spec":     map[string]any{"hubAcceptsClient": true, "leaseDurationSeconds": seconds},
	})
	if err != nil {
		return fmt.Errorf("cannot encode cluster %s: %w", cluster.Name, err)
	}
	_, err = hubClient.Patch(ctx, cluster.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// AwaitAvailable returns when the cluster has joined and is available, or with ctx's error.
func AwaitAvailable(ctx context.Context, hubConfig *rest.Config, name string) error {
	clients, err := clusterclient.NewForConfig(hubConfig)
	if err != nil {
		return fmt.Errorf("cannot make a client to await cluster %s: %w", name, err)
	}
	source := cache.NewListWatchFromClient(clients.ClusterV1().RESTClient(), "managedclusters", metav1.NamespaceNone,
		fields.OneTermEqualSelector("metadata.name", name))
	_, err = watchtools.UntilWithSync(ctx, source, &clusterv1.ManagedCluster{}, nil, func(event watch.Event) (bool, error) {
		cluster, ok := event.Object.(*clusterv1.ManagedCluster)
		return ok &&
			meta.IsStatusConditionTrue(cluster.Status.Conditions, clusterv1.ManagedClusterConditionJoined) &&
			meta.IsStatusConditionTrue(cluster.Status.Conditions, clusterv1.ManagedClusterConditionAvailable), nil
	})
	if err != nil {
		return fmt.Errorf("cluster %s has not become available: %w", name, err)
	}
	return nil
}
