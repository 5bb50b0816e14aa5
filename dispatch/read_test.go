package dispatch

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	workv1 "open-cluster-management.io/api/work/v1"
)

// Every sign is needed: each case takes one away from a work that says Healthy and names what is then concluded.
func TestReadNeedsEverySign(t *testing.T) {
	no, one, text := false, int64(1), "true"
	manifest := func(w *workv1.ManifestWork) *workv1.ManifestCondition { return &w.Status.ResourceStatus.Manifests[0] }
	value := func(w *workv1.ManifestWork) *workv1.FeedbackValue { return &manifest(w).StatusFeedbacks.Values[0] }
	cases := map[string]struct {
		reason string
		spoil  func(*Delivery, *Source)
		state  State
		want   string
	}{
		"Healthy": {"all signs are there", func(*Delivery, *Source) {}, Healthy, ReasonHealthy},
		"NoWork":  {"nothing was dispatched", func(_ *Delivery, s *Source) { s.Work = nil }, Unknown, ReasonNotDispatched},
		"OtherContent": {"the work carries other content", func(_ *Delivery, s *Source) {
			s.Work.Annotations[ContentHashAnnotation] = "v1:other"
		}, Unknown, ReasonNotDispatched},
		"NoHash": {"the work is not ours to read", func(_ *Delivery, s *Source) { s.Work.Annotations = nil }, Unknown, ReasonNotDispatched},
		"OtherOwner": {"same content, other owner", func(_ *Delivery, s *Source) {
			s.Work.Labels[OwnerUIDLabel] = "uid-2"
		}, Unknown, ReasonClaimed},
		"StaleCache":  {"the cache shows an older write", func(_ *Delivery, s *Source) { s.Stale = true }, Unknown, ReasonStaleCache},
		"Terminating": {"the object is being removed", func(_ *Delivery, s *Source) { s.Work.DeletionTimestamp = &metav1.Time{Time: noon} }, Unknown, ReasonTerminating},
		"ClusterGone": {"no such cluster any more", func(_ *Delivery, s *Source) { s.Cluster = nil }, Unknown, ReasonClusterGone},
		"ClusterFalse": {"S3: a dead API server behind a watch", func(_ *Delivery, s *Source) {
			s.Cluster.Status.Conditions[0].Status = metav1.ConditionFalse
		}, Unknown, ReasonClusterUnavailable},
		"ClusterUnknown": {"the cluster's lease expired", func(_ *Delivery, s *Source) {
			s.Cluster.Status.Conditions[0].Status = metav1.ConditionUnknown
		}, Unknown, ReasonClusterUnavailable},
		"ClusterSilent": {"a cluster that never reported", func(_ *Delivery, s *Source) { s.Cluster.Status.Conditions = nil }, Unknown, ReasonClusterUnavailable},
		"NoManifestStatus": {"the agent has not seen the work", func(_ *Delivery, s *Source) {
			s.Work.Status.ResourceStatus.Manifests = nil
		}, Unknown, ReasonNotApplied},
		"NoWorkApplied":   {"no condition on the work", func(_ *Delivery, s *Source) { s.Work.Status.Conditions = nil }, Unknown, ReasonNotApplied},
		"WorkAppliedOld":  {"applied at an older generation", func(_ *Delivery, s *Source) { s.Work.Status.Conditions[0].ObservedGeneration = 3 }, Unknown, ReasonNotApplied},
		"ManifestOld":     {"F18: the manifest's Applied is older", func(_ *Delivery, s *Source) { manifest(s.Work).Conditions[0].ObservedGeneration = 3 }, Unknown, ReasonNotApplied},
		"GenerationRace":  {"the spec was edited while feedback was in flight", func(_ *Delivery, s *Source) { s.Work.Generation = 5 }, Unknown, ReasonNotApplied},
		"ManifestRefused": {"the spoke refused it", func(_ *Delivery, s *Source) { manifest(s.Work).Conditions[0].Status = metav1.ConditionFalse }, Unknown, ReasonApplyFailed},
		"WorkFailed":      {"the work as a whole failed", func(_ *Delivery, s *Source) { s.Work.Status.Conditions[0].Status = metav1.ConditionFalse }, Unknown, ReasonApplyFailed},
		"ObjectGone":      {"S4: a value outlives its object", func(_ *Delivery, s *Source) { manifest(s.Work).Conditions[1].Status = metav1.ConditionFalse }, Unknown, ReasonNotAvailable},
		"ObjectUnread":    {"S3: the object cannot be read", func(_ *Delivery, s *Source) { manifest(s.Work).Conditions[1].Status = metav1.ConditionUnknown }, Unknown, ReasonNotAvailable},
		"NoAvailable":     {"no word of the object's presence", func(_ *Delivery, s *Source) { manifest(s.Work).Conditions = manifest(s.Work).Conditions[:1] }, Unknown, ReasonNotAvailable},
		"FeedbackFailed":  {"F6: the path failed", func(_ *Delivery, s *Source) { manifest(s.Work).Conditions[2].Status = metav1.ConditionFalse }, Unknown, ReasonFeedbackFailed},
		"NoValue":         {"F1: the spoke has not processed it", func(_ *Delivery, s *Source) { manifest(s.Work).StatusFeedbacks.Values = nil }, Unknown, ReasonNotProcessed},
		"OldRevision":     {"S1: the value of an older revision", func(_ *Delivery, s *Source) { value(s.Work).Name = FeedbackName("r6") }, Unknown, ReasonNotProcessed},
		"StringTrue": {"F4: a string that says true", func(_ *Delivery, s *Source) {
			value(s.Work).Value = workv1.FieldValue{Type: workv1.String, String: &text}
		}, Unknown, ReasonFeedbackType},
		"IntegerOne": {"an integer is no boolean", func(_ *Delivery, s *Source) {
			value(s.Work).Value = workv1.FieldValue{Type: workv1.Integer, Integer: &one}
		}, Unknown, ReasonFeedbackType},
		"BooleanNil": {"a boolean without a value", func(_ *Delivery, s *Source) { value(s.Work).Value.Boolean = nil }, Unknown, ReasonFeedbackType},
		"False":      {"F3: not healthy, within the deadline", func(_ *Delivery, s *Source) { value(s.Work).Value.Boolean = &no }, Unhealthy, ReasonProgressing},
		"FalseTooLong": {"not healthy after the deadline", func(_ *Delivery, s *Source) {
			value(s.Work).Value.Boolean, s.Now = &no, noon.Add(11*time.Minute)
		}, Unhealthy, ReasonDeadlineExceeded},
		"TrueAfterDeadline": {"the deadline is for the unhealthy only", func(_ *Delivery, s *Source) { s.Now = noon.Add(time.Hour) }, Healthy, ReasonHealthy},
		"OtherObject":       {"status of another object of the work", func(_ *Delivery, s *Source) { manifest(s.Work).ResourceMeta.Name = "shop-api" }, Unknown, ReasonNotApplied},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := delivery(t)
			source := Source{Work: healthyWork(d), Cluster: availableCluster("dev-eu"), Now: noon.Add(time.Minute), ProgressDeadline: 10 * time.Minute}
			c.spoil(&d, &source)
			got := Read(d, source)
			if got.State != c.state || got.Reason != c.want {
				t.Errorf("%s: got %s/%s (%s), want %s/%s", c.reason, got.State, got.Reason, got.Message, c.state, c.want)
			}
			if got.State != Healthy && got.Message == "" {
				t.Errorf("%s: a reading that is not Healthy must say why", c.reason)
			}
		})
	}
}

func TestReadTellsTheDeadlineOfWhatProgresses(t *testing.T) {
	no := false
	d := delivery(t)
	work := healthyWork(d)
	work.Status.ResourceStatus.Manifests[0].StatusFeedbacks.Values[0].Value.Boolean = &no
	got := Read(d, Source{Work: work, Cluster: availableCluster("dev-eu"), Now: noon, ProgressDeadline: 10 * time.Minute})
	want := Reading{State: Unhealthy, Reason: ReasonProgressing, Message: got.Message, Revision: revision, Since: noon, Deadline: noon.Add(10 * time.Minute)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
