package work

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	workclientset "open-cluster-management.io/api/client/work/clientset/versioned"
	workinformers "open-cluster-management.io/api/client/work/informers/externalversions"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"wheelwright.dev/wheelwright/fleet/ocm/internal/reconcile"
)

// Agent is the work agent of one managed cluster.
type Agent struct {
	options     Options
	connections []*http.Client
	hubClient   *hubClient
	spokeClient spokeClient
	workClient  workclientset.Interface
	mapper      meta.RESTMapper
}

// New prepares an agent. It contacts neither cluster.
func New(options Options) (*Agent, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	hubHTTP, err := rest.HTTPClientFor(options.HubConfig)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for the hub of cluster %s: %w", options.ClusterName, err)
	}
	hub, err := newHubClient(options.HubConfig, hubHTTP, options.ClusterName)
	if err != nil {
		return nil, err
	}
	spokeHTTP, err := rest.HTTPClientFor(options.SpokeConfig)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for cluster %s: %w", options.ClusterName, err)
	}
	spoke, err := dynamic.NewForConfigAndClient(options.SpokeConfig, spokeHTTP)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for the objects of cluster %s: %w", options.ClusterName, err)
	}
	records, err := workclientset.NewForConfigAndClient(options.SpokeConfig, spokeHTTP)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for the AppliedManifestWorks of cluster %s: %w", options.ClusterName, err)
	}
	mapper, err := apiutil.NewDynamicRESTMapper(options.SpokeConfig, spokeHTTP)
	if err != nil {
		return nil, fmt.Errorf("cannot map the kinds of cluster %s: %w", options.ClusterName, err)
	}
	return &Agent{
		options:     options,
		connections: []*http.Client{hubHTTP, spokeHTTP},
		hubClient:   hub,
		spokeClient: spokeClient{spoke},
		workClient:  records,
		mapper:      mapper,
	}, nil
}

// Run works until ctx ends and returns when all it started has ended. Whatever was under way is
// cut off, as by a crash; the next Run, of this agent or of another of the same ID, carries on.
// It returns nil, or the reason why it could not start.
func (a *Agent) Run(ctx context.Context) error {
	works, err := a.hubClient.informer()
	if err != nil {
		return fmt.Errorf("cannot watch the works of cluster %s: %w", a.options.ClusterName, err)
	}
	recordInformer := workinformers.NewSharedInformerFactory(a.workClient, 21*time.Hour).Work().V1().AppliedManifestWorks()
	records := &recordClient{
		client:  a.workClient.WorkV1().AppliedManifestWorks(),
		lister:  recordInformer.Lister(),
		hubHash: HubHash(a.options.HubURL),
		agentID: a.options.AgentID,
	}
	loops := a.newLoops(works, records)
	if err := loops.subscribe(works, recordInformer.Informer()); err != nil {
		return fmt.Errorf("cannot watch for cluster %s: %w", a.options.ClusterName, err)
	}

	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { works.Run(ctx.Done()); return nil })
	group.Go(func() error { recordInformer.Informer().Run(ctx.Done()); return nil })
	// Before both caches are full, a work that is only not known yet looks deleted.
	cache.WaitForCacheSync(ctx.Done(), works.HasSynced, recordInformer.Informer().HasSynced)
	group.Go(func() error { loops.works.Run(ctx, loops.works.sync); return nil })
	group.Go(func() error { loops.records.Run(ctx, loops.records.sync); return nil })
	group.Go(func() error { loops.status.Run(ctx, loops.status.sync); return nil })
	err = group.Wait()
	loops.status.objects.close()
	for _, connection := range a.connections {
		utilnet.CloseIdleConnectionsFor(connection.Transport)
	}
	return err
}

// newLoops builds the three loops over the two caches.
func (a *Agent) newLoops(informer cache.SharedIndexInformer, records *recordClient) *loops {
	works := workLister{store: informer.GetStore(), namespace: a.options.ClusterName}
	unchanged := newApplyCache()
	status := &statusLoop{
		Loop:      reconcile.New("status"),
		hubClient: a.hubClient,
		works:     works,
		interval:  a.options.StatusSyncInterval,
		feedback:  a.options.Feedback,
	}
	status.objects = &objectReader{
		spokeClient: a.spokeClient,
		works:       informer.GetIndexer(),
		changed:     status.Queue.Add,
		limit:       a.options.MaxFeedbackWatch,
		watches:     map[watchKey]*watch{},
	}
	work := &workLoop{
		Loop:        reconcile.New("work"),
		hubClient:   a.hubClient,
		spokeClient: a.spokeClient,
		works:       works,
		records:     records,
		applier:     &applier{spokeClient: a.spokeClient, unchanged: unchanged},
		mapper:      a.mapper,
		watches:     status.objects,
		resync:      a.options.ResyncInterval,
		pruning:     newPruningBackoff(),
	}
	record := &recordLoop{
		Loop:        reconcile.New("record"),
		spokeClient: a.spokeClient,
		works:       works,
		records:     records,
		watches:     status.objects,
		unchanged:   unchanged,
		grace:       a.options.EvictionGracePeriod,
		removing:    newRemovingBackoff(),
	}
	return &loops{works: work, records: record, status: status}
}
