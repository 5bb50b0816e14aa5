package work

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/tools/cache"
	workinformers "open-cluster-management.io/api/client/work/informers/externalversions"

	"wheelwright.dev/wheelwright/fleet/ocm/internal/reconcile"
)

// recordResync is how often the cached records are gone through although nothing changed, as a
// precaution.
const recordResync = 21 * time.Hour

// Agent is the work agent of one managed cluster.
type Agent struct {
	options Options
	clients *clients
}

// New prepares an agent. It contacts neither cluster. It fails when a required option is missing
// or a config is not usable.
func New(options Options) (*Agent, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	clients, err := newClients(options)
	if err != nil {
		return nil, fmt.Errorf("cannot make the work agent's clients for cluster %s: %w", options.ClusterName, err)
	}
	return &Agent{options: options, clients: clients}, nil
}

// Run works until ctx ends and returns when all it started has ended. Whatever was under way is
// cut off, as by a crash; the next Run, of this agent or of another of the same ID, carries on.
// It returns nil, or the reason why it could not start. Errors of single works are logged to the
// logger in ctx, reported in the works where they belong there, and tried again.
func (a *Agent) Run(ctx context.Context) error {
	defer a.clients.close()
	works, err := a.clients.hub.informer()
	if err != nil {
		return fmt.Errorf("cannot watch the works of cluster %s: %w", a.options.ClusterName, err)
	}
	recordInformer := workinformers.NewSharedInformerFactory(a.clients.records, recordResync).Work().V1().AppliedManifestWorks()
	loops := a.newLoops(works, &recordClient{
		client:  a.clients.records.WorkV1().AppliedManifestWorks(),
		lister:  recordInformer.Lister(),
		hubHash: HubHash(a.options.HubURL),
		agentID: a.options.AgentID,
	})
	if err := loops.subscribe(works, recordInformer.Informer()); err != nil {
		return fmt.Errorf("cannot watch for cluster %s: %w", a.options.ClusterName, err)
	}
	defer loops.status.objects.close()

	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { works.Run(ctx.Done()); return nil })
	group.Go(func() error { recordInformer.Informer().Run(ctx.Done()); return nil })
	// Before both caches are full, a work that is only not known yet looks deleted.
	cache.WaitForCacheSync(ctx.Done(), works.HasSynced, recordInformer.Informer().HasSynced)
	group.Go(func() error { loops.works.Run(ctx, loops.works.sync); return nil })
	group.Go(func() error { loops.records.Run(ctx, loops.records.sync); return nil })
	group.Go(func() error { loops.status.Run(ctx, loops.status.sync); return nil })
	return group.Wait()
}

// newLoops builds the three loops over the two caches.
func (a *Agent) newLoops(informer cache.SharedIndexInformer, records *recordClient) *loops {
	works := workLister{store: informer.GetStore(), namespace: a.options.ClusterName, written: &a.clients.hub.written}
	unchanged := newApplyCache()
	status := &statusLoop{
		Loop:      reconcile.New("status"),
		hubClient: a.clients.hub,
		works:     works,
		interval:  a.options.StatusSyncInterval,
		feedback:  a.options.Feedback,
	}
	status.objects = &objectReader{
		spokeClient: a.clients.spoke,
		works:       informer.GetIndexer(),
		changed:     status.Queue.Add,
		limit:       a.options.MaxFeedbackWatch,
		watches:     map[watchKey]*watch{},
	}
	work := &workLoop{
		Loop:        reconcile.New("work"),
		hubClient:   a.clients.hub,
		spokeClient: a.clients.spoke,
		works:       works,
		records:     records,
		applier:     &applier{spokeClient: a.clients.spoke, unchanged: unchanged},
		mapper:      a.clients.mapper,
		watches:     status.objects,
		resync:      a.options.ResyncInterval,
		pruning:     newPruningBackoff(),
	}
	record := &recordLoop{
		Loop:        reconcile.New("record"),
		spokeClient: a.clients.spoke,
		works:       works,
		records:     records,
		watches:     status.objects,
		unchanged:   unchanged,
		grace:       a.options.EvictionGracePeriod,
		removing:    newRemovingBackoff(),
	}
	return &loops{works: work, records: record, status: status}
}
