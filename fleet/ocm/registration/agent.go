package registration

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clusterclient "open-cluster-management.io/api/client/cluster/clientset/versioned"
	clusterinformers "open-cluster-management.io/api/client/cluster/informers/externalversions"
	claiminformer "open-cluster-management.io/api/client/cluster/informers/externalversions/cluster/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"wheelwright.dev/wheelwright/fleet/ocm/internal/mergepatch"
	"wheelwright.dev/wheelwright/fleet/ocm/internal/reconcile"
)

// spokeOnly is the label of a ClusterClaim that stays on its cluster.
const spokeOnly = "open-cluster-management.io/spoke-only"

// AgentOptions configure the agent of one cluster. All but CheckInterval are required.
type AgentOptions struct {
	HubConfig   *rest.Config
	SpokeConfig *rest.Config
	ClusterName string
	// CheckInterval is how often the cluster's API server is asked for its health. Default 10
	// seconds.
	CheckInterval time.Duration
}

// Agent keeps the hub's picture of one cluster: that it is alive, its version and its claims.
type Agent struct {
	options     AgentOptions
	hubClient   clusterclient.Interface
	hubKube     kubernetes.Interface
	spokeClient clusterclient.Interface
	spokeKube   kubernetes.Interface
}

// NewAgent prepares an agent. It contacts neither cluster.
func NewAgent(options AgentOptions) (*Agent, error) {
	if options.HubConfig == nil || options.SpokeConfig == nil || options.ClusterName == "" {
		return nil, fmt.Errorf("registration agent %q: HubConfig, SpokeConfig and ClusterName must be set", options.ClusterName)
	}
	if options.CheckInterval == 0 {
		options.CheckInterval = 10 * time.Second
	}
	hubClient, errHub := clusterclient.NewForConfig(options.HubConfig)
	hubKube, errHubKube := kubernetes.NewForConfig(options.HubConfig)
	spokeClient, errSpoke := clusterclient.NewForConfig(options.SpokeConfig)
	spokeKube, errSpokeKube := kubernetes.NewForConfig(options.SpokeConfig)
	for _, err := range []error{errHub, errHubKube, errSpoke, errSpokeKube} {
		if err != nil {
			return nil, fmt.Errorf("cannot make the clients of cluster %s: %w", options.ClusterName, err)
		}
	}
	return &Agent{
		options:     options,
		hubClient:   hubClient,
		hubKube:     hubKube,
		spokeClient: spokeClient,
		spokeKube:   spokeKube,
	}, nil
}

// Run reports until ctx ends; then the hub hears nothing more, as when the agent dies.
func (a *Agent) Run(ctx context.Context) error {
	status := reconcile.NewPersistent("registration-status", backoffCap)
	lease := reconcile.NewPersistent("registration-lease", backoffCap)
	claims := clusterinformers.NewSharedInformerFactory(a.spokeClient, 0).Cluster().V1alpha1().ClusterClaims()
	if err := enqueue(claims.Informer(), status, func(metav1.Object) string { return a.options.ClusterName }); err != nil {
		return fmt.Errorf("cannot watch the claims of cluster %s: %w", a.options.ClusterName, err)
	}
	// The hub's word that it accepts the cluster is waited for, not asked for.
	accepted := clusterinformers.NewSharedInformerFactoryWithOptions(a.hubClient, 0,
		clusterinformers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector("metadata.name", a.options.ClusterName).String()
		})).Cluster().V1().ManagedClusters().Informer()
	if err := enqueue(accepted, status, func(metav1.Object) string { return a.options.ClusterName }); err != nil {
		return fmt.Errorf("cannot watch cluster %s on the hub: %w", a.options.ClusterName, err)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { claims.Informer().Run(ctx.Done()); return nil })
	group.Go(func() error { accepted.Run(ctx.Done()); return nil })
	status.Queue.Add(a.options.ClusterName)
	lease.Queue.Add(a.options.ClusterName)
	group.Go(func() error {
		status.Run(ctx, func(ctx context.Context, name string) (time.Duration, error) {
			return a.options.CheckInterval, a.report(ctx, name, claims)
		})
		return nil
	})
	group.Go(func() error { lease.Run(ctx, a.renew); return nil })
	return group.Wait()
}

// report brings the hub's picture up to date.
func (a *Agent) report(ctx context.Context, name string, claims claiminformer.ClusterClaimInformer) error {
	hubClient := a.hubClient.ClusterV1().ManagedClusters()
	cluster, err := hubClient.Get(ctx, name, metav1.GetOptions{})
	if err != nil || !meta.IsStatusConditionTrue(cluster.Status.Conditions, clusterv1.ManagedClusterConditionHubAccepted) {
		return err
	}
	status := *cluster.Status.DeepCopy()
	meta.SetStatusCondition(&status.Conditions, joined())
	health := a.health(ctx)
	meta.SetStatusCondition(&status.Conditions, available(health))
	if health == nil {
		if err := a.describe(&status, claims); err != nil {
			return err
		}
	}
	if equality.Semantic.DeepEqual(cluster.Status, status) {
		return nil
	}
	patch, err := mergepatch.Status(cluster, cluster.Status, status)
	if err != nil {
		return err
	}
	_, err = hubClient.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

func (a *Agent) health(ctx context.Context) error {
	var code int
	result := a.spokeKube.Discovery().RESTClient().Get().AbsPath("/livez").Do(ctx).StatusCode(&code)
	if code == http.StatusOK {
		return nil
	}
	return fmt.Errorf("status code: %d, %w", code, result.Error())
}

// describe fills in the version and the claims of the cluster.
func (a *Agent) describe(status *clusterv1.ManagedClusterStatus, informer claiminformer.ClusterClaimInformer) error {
	version, err := a.spokeKube.Discovery().ServerVersion()
	if err != nil {
		return fmt.Errorf("cannot read the version of cluster %s: %w", a.options.ClusterName, err)
	}
	status.Version = clusterv1.ManagedClusterVersion{Kubernetes: version.String()}

	if !informer.Informer().HasSynced() {
		return nil // claims that are not known yet have not gone
	}
	claims, err := informer.Lister().List(labels.Everything())
	if err != nil {
		return err
	}
	status.ClusterClaims = nil
	for _, claim := range claims {
		if _, local := claim.Labels[spokeOnly]; !local {
			status.ClusterClaims = append(status.ClusterClaims,
				clusterv1.ManagedClusterClaim{Name: claim.Name, Value: claim.Spec.Value})
		}
	}
	slices.SortFunc(status.ClusterClaims, func(x, y clusterv1.ManagedClusterClaim) int { return strings.Compare(x.Name, y.Name) })
	return nil
}

// renew renews the lease that the hub has made for the cluster.
func (a *Agent) renew(ctx context.Context, name string) (time.Duration, error) {
	cluster, err := a.hubClient.ClusterV1().ManagedClusters().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return 0, err
	}
	leases := a.hubKube.CoordinationV1().Leases(name)
	lease, err := leases.Get(ctx, leaseName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		// The hub makes it too; whoever comes second finds it fresh.
		_, err = leases.Create(ctx, newLease(name), metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			err = nil
		}
	case err == nil:
		now := metav1.NowMicro()
		lease.Spec.RenewTime = &now
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	}
	if err != nil {
		return 0, fmt.Errorf("cannot renew the lease of cluster %s: %w", name, err)
	}
	seconds := max(cluster.Spec.LeaseDurationSeconds, 1)
	return wait.Jitter(time.Duration(seconds)*time.Second, 0.25), nil
}

func newLease(cluster string) *coordinationv1.Lease {
	holder, now := leaseName, metav1.NowMicro()
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{
			Name:      leaseName,
			Namespace: cluster,
			Labels:    map[string]string{clusterv1.ClusterNameLabelKey: cluster},
		},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &now},
	}
}
