package registration

import (
	"context"
	"fmt"
	"maps"
	"time"

	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	coordinationlister "k8s.io/client-go/listers/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	clusterclient "open-cluster-management.io/api/client/cluster/clientset/versioned"
	clusterinformers "open-cluster-management.io/api/client/cluster/informers/externalversions"
	clusterlister "open-cluster-management.io/api/client/cluster/listers/cluster/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"

	"wheelwright.dev/wheelwright/fleet/ocm/internal/mergepatch"
	"wheelwright.dev/wheelwright/fleet/ocm/internal/reconcile"
)

// backoffCap is the longest wait after an error: a hub or a cluster that is back is noticed soon.
const backoffCap = 10 * time.Second

// Hub looks after the ManagedClusters of a hub: their namespaces, sets, leases and availability.
type Hub struct {
	clusterClient clusterclient.Interface
	kubeClient    kubernetes.Interface
	clusters      clusterlister.ManagedClusterLister
	leases        coordinationlister.LeaseLister
}

// NewHub prepares the hub's half. It does not contact the hub.
func NewHub(config *rest.Config) (*Hub, error) {
	clusterClient, err := clusterclient.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for the hub's clusters: %w", err)
	}
	kubeClient, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for the hub: %w", err)
	}
	return &Hub{clusterClient: clusterClient, kubeClient: kubeClient}, nil
}

// Run sets and repairs until ctx ends.
func (h *Hub) Run(ctx context.Context) error {
	clusters := clusterinformers.NewSharedInformerFactory(h.clusterClient, 0)
	leases := informers.NewSharedInformerFactoryWithOptions(h.kubeClient, 0,
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector("metadata.name", leaseName).String()
		}))
	clusterInformer := clusters.Cluster().V1().ManagedClusters()
	setInformer := clusters.Cluster().V1beta2().ManagedClusterSets()
	leaseInformer := leases.Coordination().V1().Leases()
	h.clusters, h.leases = clusterInformer.Lister(), leaseInformer.Lister()

	clusterLoop := reconcile.NewPersistent("managedclusters", backoffCap)
	setLoop := reconcile.NewPersistent("managedclustersets", backoffCap)
	for _, source := range []struct {
		informer cache.SharedIndexInformer
		loop     *reconcile.Loop
		key      func(metav1.Object) string
	}{
		{clusterInformer.Informer(), clusterLoop, metav1.Object.GetName},
		{leaseInformer.Informer(), clusterLoop, metav1.Object.GetNamespace},
		{setInformer.Informer(), setLoop, metav1.Object.GetName},
	} {
		if err := enqueue(source.informer, source.loop, source.key); err != nil {
			return fmt.Errorf("cannot watch the hub's clusters: %w", err)
		}
	}

	group, ctx := errgroup.WithContext(ctx)
	for _, informer := range []cache.SharedIndexInformer{clusterInformer.Informer(), setInformer.Informer(), leaseInformer.Informer()} {
		group.Go(func() error { informer.Run(ctx.Done()); return nil })
		cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
	}
	for name := range builtInSets {
		setLoop.Queue.Add(name)
	}
	group.Go(func() error { clusterLoop.Run(ctx, h.syncCluster); return nil })
	group.Go(func() error { setLoop.Run(ctx, h.syncSet); return nil })
	return group.Wait()
}

// enqueue feeds a loop with the keys of whatever changes.
func enqueue(informer cache.SharedIndexInformer, loop *reconcile.Loop, key func(metav1.Object) string) error {
	add := func(item any) {
		if tombstone, ok := item.(cache.DeletedFinalStateUnknown); ok {
			item = tombstone.Obj
		}
		if object, ok := item.(metav1.Object); ok {
			loop.Queue.Add(key(object))
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(_, now any) { add(now) },
		DeleteFunc: add,
	})
	return err
}

// syncCluster is the reconcile of one ManagedCluster.
func (h *Hub) syncCluster(ctx context.Context, name string) (time.Duration, error) {
	cluster, err := h.clusters.Get(name)
	if err != nil {
		return 0, ignoreNotFound(err)
	}
	if cluster.DeletionTimestamp != nil || !cluster.Spec.HubAcceptsClient {
		return 0, nil
	}
	lease, err := h.ensureLease(ctx, name)
	if err != nil {
		return 0, err
	}
	left := remaining(cluster, lease, time.Now())
	cluster, err = h.setConditions(ctx, cluster, left <= 0)
	if err != nil {
		return 0, err
	}
	return max(left, 0), h.setLabelsAndTaints(ctx, cluster)
}

// ensureLease returns the cluster's lease, made if need be, and with it the cluster's namespace.
func (h *Hub) ensureLease(ctx context.Context, cluster string) (*coordinationv1.Lease, error) {
	lease, err := h.leases.Leases(cluster).Get(leaseName)
	if !apierrors.IsNotFound(err) {
		return lease, err
	}
	_, err = h.kubeClient.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: cluster, Labels: map[string]string{clusterv1.ClusterNameLabelKey: cluster}},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, err
	}
	leases := h.kubeClient.CoordinationV1().Leases(cluster)
	lease, err = leases.Create(ctx, newLease(cluster), metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return leases.Get(ctx, leaseName, metav1.GetOptions{})
	}
	return lease, err
}

// setConditions says that the cluster is accepted and, when its lease has expired, that nobody
// knows how it is. That it is available only its agent says.
func (h *Hub) setConditions(ctx context.Context, cluster *clusterv1.ManagedCluster, expired bool) (*clusterv1.ManagedCluster, error) {
	status := *cluster.Status.DeepCopy()
	meta.SetStatusCondition(&status.Conditions, accepted())
	if expired {
		meta.SetStatusCondition(&status.Conditions, leaseExpired())
	}
	if equality.Semantic.DeepEqual(cluster.Status, status) {
		return cluster, nil
	}
	patch, err := mergepatch.Status(cluster, cluster.Status, status)
	if err != nil {
		return nil, err
	}
	return h.clusterClient.ClusterV1().ManagedClusters().Patch(ctx, cluster.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
}

// setLabelsAndTaints puts a cluster without a set into the default one and taints it while it is
// not available.
func (h *Hub) setLabelsAndTaints(ctx context.Context, cluster *clusterv1.ManagedCluster) error {
	changed := cluster.DeepCopy()
	changed.Labels = maps.Clone(cluster.Labels)
	if changed.Labels[clusterv1beta2.ClusterSetLabel] == "" {
		if changed.Labels == nil {
			changed.Labels = map[string]string{}
		}
		changed.Labels[clusterv1beta2.ClusterSetLabel] = DefaultSet
	}
	changed.Spec.Taints = withTaints(cluster.Spec.Taints, cluster.Status.Conditions, time.Now())
	if equality.Semantic.DeepEqual(cluster, changed) {
		return nil
	}
	patch, err := mergepatch.LabelsAndSpec(cluster, cluster.Spec, changed, changed.Spec)
	if err != nil {
		return err
	}
	_, err = h.clusterClient.ClusterV1().ManagedClusters().Patch(ctx, cluster.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
