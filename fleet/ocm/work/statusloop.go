package work

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	workv1 "open-cluster-management.io/api/work/v1"

	"wheelwright.dev/wheelwright/fleet/ocm/internal/reconcile"
)

// statusLoop reports on the objects of applied works: whether they exist and what their
// feedback rules yield.
type statusLoop struct {
	*reconcile.Loop
	hubClient *hubClient
	works     workLister
	objects   *objectReader
	interval  time.Duration
	feedback  FeedbackMode
}

// observation is what was read of one object.
type observation struct {
	available metav1.Condition
	values    []workv1.FeedbackValue
	synced    *metav1.Condition // nil when the object could not be read
}

// sync is the reconcile of one work's report. It goes by the manifests in the status, which are
// what was applied; those in the spec may be newer.
func (l *statusLoop) sync(ctx context.Context, name string) (time.Duration, error) {
	work := l.works.get(name)
	if work == nil || !work.managed() || !work.applied() {
		return 0, nil
	}
	observations := map[workv1.ManifestResourceMeta]observation{}
	for _, manifest := range work.Status.ResourceStatus.Manifests {
		observations[manifest.ResourceMeta] = l.observe(ctx, work, manifest.ResourceMeta)
	}
	err := l.hubClient.updateStatus(ctx, work, func(current *manifestWork) workv1.ManifestWorkStatus {
		return withObservations(current.Status, observations, current.Generation)
	})
	return wait.Jitter(l.interval, 0.9), err
}

func (l *statusLoop) observe(ctx context.Context, work *manifestWork, object workv1.ManifestResourceMeta) observation {
	live, err := l.objects.read(ctx, object)
	observed := observation{available: manifestAvailable(object, err)}
	if err != nil {
		return observed
	}
	config := selectConfig(object, work.Spec.ManifestConfigs)
	l.follow(ctx, work.Name, object, config.FeedbackScrapeType)
	values, synced := evaluate(live, config.FeedbackRules)
	observed.values, observed.synced = values, &synced
	return observed
}

// follow watches the object, or no longer does, as its config says.
func (l *statusLoop) follow(ctx context.Context, work string, object workv1.ManifestResourceMeta, scrape scrapeType) {
	if scrape != scrapeWatch || l.feedback == PollOnly {
		l.objects.unwatch(work, object)
		return
	}
	if err := l.objects.watch(work, object); err != nil {
		klog.FromContext(ctx).Error(err, "Polling the feedback of an object instead of watching it", "work", work, "name", object.Name)
	}
}

// withObservations is the status with what was read. Where an object could not be read, its
// former values stay beside an Available condition that is not True.
func withObservations(
	status workv1.ManifestWorkStatus, observations map[workv1.ManifestResourceMeta]observation, generation int64,
) workv1.ManifestWorkStatus {
	next := *status.DeepCopy()
	for i := range next.ResourceStatus.Manifests {
		manifest := &next.ResourceStatus.Manifests[i]
		observed, read := observations[manifest.ResourceMeta]
		if !read {
			continue
		}
		meta.SetStatusCondition(&manifest.Conditions, observed.available)
		if observed.synced == nil {
			continue
		}
		if !equality.Semantic.DeepEqual(manifest.StatusFeedbacks.Values, observed.values) {
			// The transition time tells when the values changed, not only when the status did.
			meta.RemoveStatusCondition(&manifest.Conditions, feedbackSynced)
		}
		meta.SetStatusCondition(&manifest.Conditions, *observed.synced)
		manifest.StatusFeedbacks.Values = observed.values
	}
	meta.SetStatusCondition(&next.Conditions, workAvailable(next.ResourceStatus.Manifests, generation))
	return next
}
