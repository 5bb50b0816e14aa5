package work

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	workv1 "open-cluster-management.io/api/work/v1"
)

// withOutcomes is the status after an apply of that generation: the manifests are those of the
// outcomes, and each keeps the conditions and the feedback that its object had before. The
// feedback may thus be older than the Applied condition beside it.
func withOutcomes(status workv1.ManifestWorkStatus, outcomes []outcome, generation int64) workv1.ManifestWorkStatus {
	next := *status.DeepCopy()
	before := status.ResourceStatus.Manifests
	next.ResourceStatus.Manifests = make([]workv1.ManifestCondition, len(outcomes))
	failed := false
	for i, result := range outcomes {
		condition := manifestApplied(result.err, generation)
		failed = failed || condition.Status == metav1.ConditionFalse

		manifest := workv1.ManifestCondition{ResourceMeta: result.meta}
		if known := findManifest(before, result.meta); known != nil {
			manifest.StatusFeedbacks = known.StatusFeedbacks
			manifest.Conditions = slices.Clone(known.Conditions)
		}
		setForGeneration(&manifest.Conditions, condition)
		next.ResourceStatus.Manifests[i] = manifest
	}
	if len(outcomes) > 0 {
		meta.SetStatusCondition(&next.Conditions, workApplied(failed, generation))
	}
	return next
}

// findManifest finds the object's entry: the very same one, or the only one that differs in its
// place in the work alone, so that entries follow their objects when manifests are reordered.
func findManifest(manifests []workv1.ManifestCondition, object workv1.ManifestResourceMeta) *workv1.ManifestCondition {
	var moved *workv1.ManifestCondition
	count := 0
	for i := range manifests {
		if manifests[i].ResourceMeta == object {
			return &manifests[i]
		}
		if withoutOrdinal(manifests[i].ResourceMeta) == withoutOrdinal(object) {
			moved = &manifests[i]
			count++
		}
	}
	if count != 1 || withoutOrdinal(object) == (workv1.ManifestResourceMeta{}) {
		return nil
	}
	return moved
}

func withoutOrdinal(object workv1.ManifestResourceMeta) workv1.ManifestResourceMeta {
	object.Ordinal = 0
	return object
}

// setForGeneration sets a condition whose transition time also moves when only the generation
// that it speaks of has changed.
func setForGeneration(conditions *[]metav1.Condition, condition metav1.Condition) {
	known := meta.FindStatusCondition(*conditions, condition.Type)
	if known != nil && known.ObservedGeneration != condition.ObservedGeneration {
		meta.RemoveStatusCondition(conditions, condition.Type)
	}
	meta.SetStatusCondition(conditions, condition)
}

func manifestApplied(err error, generation int64) metav1.Condition {
	condition := metav1.Condition{
		Type:               workv1.ManifestApplied,
		Status:             metav1.ConditionTrue,
		Reason:             "AppliedManifestComplete",
		Message:            "Apply manifest complete",
		ObservedGeneration: generation,
	}
	if err != nil {
		condition.Status = metav1.ConditionFalse
		condition.Reason = "AppliedManifestFailed"
		condition.Message = fmt.Sprintf("Failed to apply manifest: %v", err)
	}
	return condition
}

func workApplied(failed bool, generation int64) metav1.Condition {
	condition := metav1.Condition{
		Type:               workv1.WorkApplied,
		Status:             metav1.ConditionTrue,
		Reason:             "AppliedManifestWorkComplete",
		Message:            "Apply manifest work complete",
		ObservedGeneration: generation,
	}
	if failed {
		condition.Status = metav1.ConditionFalse
		condition.Reason = "AppliedManifestWorkFailed"
		condition.Message = "Failed to apply manifest work"
	}
	return condition
}

func workDeleting(generation int64) metav1.Condition {
	return metav1.Condition{
		Type:               workv1.WorkDeleting,
		Status:             metav1.ConditionTrue,
		Reason:             "WorkDeleting",
		Message:            "ManifestWork is being deleted",
		ObservedGeneration: generation,
	}
}

// manifestAvailable says what reading the object means: whether it exists, not whether it works.
func manifestAvailable(object workv1.ManifestResourceMeta, err error) metav1.Condition {
	condition := metav1.Condition{
		Type:    workv1.ManifestAvailable,
		Status:  metav1.ConditionTrue,
		Reason:  "ResourceAvailable",
		Message: "Resource is available",
	}
	switch {
	case !complete(object):
		condition.Status = metav1.ConditionUnknown
		condition.Reason = "IncompleteResourceMeta"
		condition.Message = "Resource meta is incomplete"
	case apierrors.IsNotFound(err):
		condition.Status = metav1.ConditionFalse
		condition.Reason = "ResourceNotAvailable"
		condition.Message = "Resource is not available"
	case err != nil:
		condition.Status = metav1.ConditionUnknown
		condition.Reason = "FetchingResourceFailed"
		condition.Message = fmt.Sprintf("Failed to fetch resource: %v", err)
	}
	return condition
}

// workAvailable sums up the manifests: one that is missing outweighs one that is unknown.
func workAvailable(manifests []workv1.ManifestCondition, generation int64) metav1.Condition {
	count := map[metav1.ConditionStatus]int{}
	for _, manifest := range manifests {
		if condition := meta.FindStatusCondition(manifest.Conditions, workv1.ManifestAvailable); condition != nil {
			count[condition.Status]++
		}
	}
	condition := metav1.Condition{Type: workv1.WorkAvailable, ObservedGeneration: generation}
	switch {
	case count[metav1.ConditionFalse] > 0:
		condition.Status = metav1.ConditionFalse
		condition.Reason = "ResourcesNotAvailable"
		condition.Message = fmt.Sprintf("%d of %d resources are not available", count[metav1.ConditionFalse], len(manifests))
	case count[metav1.ConditionUnknown] > 0:
		condition.Status = metav1.ConditionUnknown
		condition.Reason = "ResourcesStatusUnknown"
		condition.Message = fmt.Sprintf("%d of %d resources have unknown status", count[metav1.ConditionUnknown], len(manifests))
	case count[metav1.ConditionTrue] == 0:
		condition.Status = metav1.ConditionUnknown
		condition.Reason = "ResourcesStatusUnknown"
		condition.Message = "cannot get any available resource "
	default:
		condition.Status = metav1.ConditionTrue
		condition.Reason = "ResourcesAvailable"
		condition.Message = "All resources are available"
	}
	return condition
}
