package dispatch

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	workv1 "open-cluster-management.io/api/work/v1"
)

// State is what is known of delivered content on a cluster.
type State string

// States. Unknown never opens anything.
const (
	Healthy   State = "Healthy"
	Unhealthy State = "Unhealthy"
	Unknown   State = "Unknown"
)

// Reasons of a Reading.
const (
	ReasonHealthy            = "Healthy"
	ReasonProgressing        = "Progressing"
	ReasonDeadlineExceeded   = "ProgressDeadlineExceeded"
	ReasonNotDispatched      = "NotDispatched"
	ReasonStaleCache         = "StaleCache"
	ReasonTerminating        = "Terminating"
	ReasonClaimed            = "Claimed"
	ReasonClusterGone        = "ClusterGone"
	ReasonClusterUnavailable = "ClusterUnavailable"
	ReasonNotApplied         = "NotApplied"
	ReasonApplyFailed        = "ApplyFailed"
	ReasonNotAvailable       = "NotAvailable"
	ReasonNotProcessed       = "NotProcessed"
	ReasonFeedbackFailed     = "FeedbackFailed"
	ReasonFeedbackType       = "FeedbackOfWrongType"
)

// feedbackSynced is OCM's manifest condition about feedback; its API has no constant for it.
const feedbackSynced = "StatusFeedbackSynced"

// Reading is what may be concluded from a work about wanted content.
type Reading struct {
	State State
	// Reason is one of the constants above.
	Reason string
	// Message says in a sentence what is missing.
	Message string
	// Revision that the work carries, whatever its state.
	Revision string
	// Since is when the state began, as far as OCM's conditions tell; zero when unknown.
	Since time.Time
	// Deadline is when an Unhealthy reading turns from Progressing into ProgressDeadlineExceeded; zero otherwise.
	Deadline time.Time
}

// Source is everything that a reading rests on.
type Source struct {
	// Work is nil where there is none.
	Work *workv1.ManifestWork
	// Stale: the work comes from a cache that has not caught up with our own last write of it.
	Stale bool
	// Cluster is nil where it is not joined any more.
	Cluster *clusterv1.ManagedCluster
	// Now and ProgressDeadline (from Applied at the work's generation) tell failing from progressing.
	Now              time.Time
	ProgressDeadline time.Duration
}

// Read concludes what is known of a wanted delivery. Healthy and Unhealthy are only ever said of exactly that content, at
// the work's own generation, applied, still present and on a cluster that is heard of; anything else is Unknown.
//
// The addon's availability joins the cluster's once the agent is an OCM addon.
func Read(wanted Delivery, source Source) Reading {
	work := source.Work
	if work == nil {
		return unknown(ReasonNotDispatched, "there is no work for it yet")
	}
	reading := readWork(wanted, source)
	if reading.Reason != ReasonClaimed {
		reading.Revision = Revision(work)
	}
	return reading
}

func readWork(wanted Delivery, source Source) Reading {
	work := source.Work
	switch {
	case work.Labels[OwnerUIDLabel] != string(wanted.Owner.UID):
		return unknown(ReasonClaimed, "its work belongs to another owner")
	case !work.DeletionTimestamp.IsZero():
		return unknown(ReasonTerminating, "its work is being deleted")
	case !wanted.Content.Is(work.Annotations[ContentHashAnnotation]):
		return unknown(ReasonNotDispatched, "its work carries other content")
	case source.Stale:
		return unknown(ReasonStaleCache, "the cache has not caught up with our last write")
	case source.Cluster == nil:
		return unknown(ReasonClusterGone, "ManagedCluster "+work.Namespace+" does not exist")
	case !meta.IsStatusConditionTrue(source.Cluster.Status.Conditions, clusterv1.ManagedClusterConditionAvailable):
		return unknown(ReasonClusterUnavailable, "cluster "+work.Namespace+" is not available, so its last answer may be old")
	}
	manifest := findManifest(work, wanted.Content)
	if reading, ok := notApplied(work, manifest); ok {
		return reading
	}
	return readFeedback(work, manifest, source)
}

// notApplied says why the work's generation is not known to be on the spoke.
func notApplied(work *workv1.ManifestWork, manifest *workv1.ManifestCondition) (Reading, bool) {
	if manifest == nil {
		return unknown(ReasonNotApplied, "the work agent has not applied it yet"), true
	}
	applied := meta.FindStatusCondition(manifest.Conditions, workv1.ManifestApplied)
	whole := meta.FindStatusCondition(work.Status.Conditions, workv1.WorkApplied)
	if !at(applied, work.Generation) || !at(whole, work.Generation) {
		return unknown(ReasonNotApplied, "the work agent has not applied this generation yet"), true
	}
	if applied.Status != metav1.ConditionTrue || whole.Status != metav1.ConditionTrue {
		return unknown(ReasonApplyFailed, "the work agent could not apply it: "+applied.Message), true
	}
	if available := meta.FindStatusCondition(manifest.Conditions, workv1.ManifestAvailable); available == nil || available.Status != metav1.ConditionTrue {
		return unknown(ReasonNotAvailable, "the object is not on the cluster, or cannot be read there"), true
	}
	return Reading{}, false
}

// readFeedback reads the one boolean. It is looked up by the revision's own name.
func readFeedback(work *workv1.ManifestWork, manifest *workv1.ManifestCondition, source Source) Reading {
	revision := Revision(work)
	synced := meta.FindStatusCondition(manifest.Conditions, feedbackSynced)
	if synced != nil && synced.Status == metav1.ConditionFalse {
		return unknown(ReasonFeedbackFailed, "the work agent could not read its health: "+synced.Message)
	}
	for _, value := range manifest.StatusFeedbacks.Values {
		if value.Name != FeedbackName(revision) {
			continue
		}
		if value.Value.Type != workv1.Boolean || value.Value.Boolean == nil {
			return unknown(ReasonFeedbackType, fmt.Sprintf("its health came back as %s, not as a Boolean", value.Value.Type))
		}
		return judge(*value.Value.Boolean, synced, manifest, source)
	}
	return unknown(ReasonNotProcessed, "the spoke has not processed revision "+revision+" yet")
}

func judge(healthy bool, synced *metav1.Condition, manifest *workv1.ManifestCondition, source Source) Reading {
	reading := Reading{State: Healthy, Reason: ReasonHealthy}
	if synced != nil {
		reading.Since = synced.LastTransitionTime.Time
	}
	if healthy {
		return reading
	}
	// The manifest's Applied condition moves its transition time with each generation, so it tells since when this
	// content is on the spoke.
	applied := meta.FindStatusCondition(manifest.Conditions, workv1.ManifestApplied)
	reading.State, reading.Deadline = Unhealthy, applied.LastTransitionTime.Add(source.ProgressDeadline)
	if source.Now.Before(reading.Deadline) {
		reading.Reason, reading.Message = ReasonProgressing, "applied, and not healthy yet"
		return reading
	}
	reading.Reason = ReasonDeadlineExceeded
	reading.Message = fmt.Sprintf("not healthy %s after it was applied: look at the Component's conditions on cluster %s",
		source.ProgressDeadline, source.Work.Namespace)
	reading.Deadline = time.Time{}
	return reading
}

func findManifest(work *workv1.ManifestWork, wanted *Content) *workv1.ManifestCondition {
	for i := range work.Status.ResourceStatus.Manifests {
		m := &work.Status.ResourceStatus.Manifests[i]
		if m.ResourceMeta.Group == wanted.resource.Group && m.ResourceMeta.Kind == wanted.object.GetKind() &&
			m.ResourceMeta.Namespace == wanted.Namespace() && m.ResourceMeta.Name == wanted.object.GetName() {
			return m
		}
	}
	return nil
}

func at(c *metav1.Condition, generation int64) bool {
	return c != nil && c.ObservedGeneration == generation
}

func unknown(reason, message string) Reading {
	return Reading{State: Unknown, Reason: reason, Message: message}
}
