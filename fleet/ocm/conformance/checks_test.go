package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	workv1 "open-cluster-management.io/api/work/v1"
)

type (
	workCheck   = func(*workv1.ManifestWork) error
	recordCheck = func(*workv1.AppliedManifestWork) error
	objectCheck = func(object) error
)

// condition is what a condition is to be; empty fields may be anything.
type condition struct {
	kind       string
	status     metav1.ConditionStatus
	reason     string
	message    string // a part of it
	generation int64
}

func (c condition) in(conditions []metav1.Condition) error {
	found := meta.FindStatusCondition(conditions, c.kind)
	switch {
	case found == nil:
		return fmt.Errorf("there is no condition %s", c.kind)
	case found.Status != c.status,
		c.reason != "" && found.Reason != c.reason,
		!strings.Contains(found.Message, c.message),
		c.generation != 0 && found.ObservedGeneration != c.generation:
		return fmt.Errorf("condition %+v, want %+v", *found, c)
	}
	return nil
}

// has wants the work to have the condition.
func has(c condition) workCheck {
	return func(work *workv1.ManifestWork) error { return c.in(work.Status.Conditions) }
}

// lacks wants the work not to have a condition of that type.
func lacks(kind string) workCheck {
	return func(work *workv1.ManifestWork) error {
		if meta.FindStatusCondition(work.Status.Conditions, kind) != nil {
			return fmt.Errorf("there is a condition %s", kind)
		}
		return nil
	}
}

// applied wants the outcome of the work's present generation.
func applied(status metav1.ConditionStatus) workCheck {
	return func(work *workv1.ManifestWork) error {
		return condition{kind: workv1.WorkApplied, status: status, generation: work.Generation}.in(work.Status.Conditions)
	}
}

func available(status metav1.ConditionStatus) workCheck {
	return has(condition{kind: workv1.WorkAvailable, status: status})
}

// manifestHas wants the manifest at that place of the work to have the condition.
func manifestHas(ordinal int, c condition) workCheck {
	return func(work *workv1.ManifestWork) error {
		manifest, err := manifestAt(work, ordinal)
		if err != nil {
			return err
		}
		return c.in(manifest.Conditions)
	}
}

func manifestAt(work *workv1.ManifestWork, ordinal int) (*workv1.ManifestCondition, error) {
	manifests := work.Status.ResourceStatus.Manifests
	if ordinal >= len(manifests) {
		return nil, fmt.Errorf("there are only %d manifests in the status", len(manifests))
	}
	return &manifests[ordinal], nil
}

// manifestApplied wants the outcome of one manifest at the work's present generation.
func manifestApplied(ordinal int, status metav1.ConditionStatus) workCheck {
	return func(work *workv1.ManifestWork) error {
		return manifestHas(ordinal, condition{
			kind: workv1.ManifestApplied, status: status, generation: work.Generation,
		})(work)
	}
}

func manifestAvailable(ordinal int, status metav1.ConditionStatus, reason string) workCheck {
	return manifestHas(ordinal, condition{kind: workv1.ManifestAvailable, status: status, reason: reason})
}

func feedbackSynced(ordinal int, status metav1.ConditionStatus, reason string) workCheck {
	return manifestHas(ordinal, condition{kind: "StatusFeedbackSynced", status: status, reason: reason})
}

// values wants exactly those feedback values of the manifest, in any order.
func values(ordinal int, want map[string]any) workCheck {
	return func(work *workv1.ManifestWork) error {
		manifest, err := manifestAt(work, ordinal)
		if err != nil {
			return err
		}
		got := map[string]any{}
		for _, value := range manifest.StatusFeedbacks.Values {
			got[value.Name] = valueOf(value.Value)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("feedback of manifest %d (-want +got):\n%s", ordinal, diff)
		}
		return nil
	}
}

// valueOf is the value in its Go type; a value whose type and field disagree is only described.
func valueOf(value workv1.FieldValue) any {
	switch {
	case value.Type == workv1.Boolean && value.Boolean != nil:
		return *value.Boolean
	case value.Type == workv1.Integer && value.Integer != nil:
		return *value.Integer
	case value.Type == workv1.String && value.String != nil:
		return *value.String
	}
	return fmt.Sprintf("%+v", value)
}

// recorded wants the record to have exactly the objects of those names.
func recorded(names ...string) recordCheck {
	return func(record *workv1.AppliedManifestWork) error {
		var got []string
		for _, resource := range record.Status.AppliedResources {
			got = append(got, resource.Name)
		}
		slices.Sort(got)
		slices.Sort(names)
		if diff := cmp.Diff(names, got); diff != "" {
			return fmt.Errorf("recorded (-want +got):\n%s", diff)
		}
		return nil
	}
}

// evicting wants the record's eviction to have started, or not to.
func evicting(want bool) recordCheck {
	return func(record *workv1.AppliedManifestWork) error {
		if got := record.Status.EvictionStartTime != nil; got != want {
			return fmt.Errorf("eviction has started: %v, want %v", got, want)
		}
		return nil
	}
}

// ownedBy wants the object to have exactly those owners.
func ownedBy(records ...*workv1.AppliedManifestWork) objectCheck {
	return func(live object) error {
		want := []types.UID{}
		for _, record := range records {
			want = append(want, record.UID)
		}
		got := []types.UID{}
		for _, owner := range live.GetOwnerReferences() {
			got = append(got, owner.UID)
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("owners (-want +got):\n%s", diff)
		}
		return nil
	}
}

// field wants the object's field at the path to be the value.
func field(want any, path ...string) objectCheck {
	return func(live object) error {
		got, _, err := unstructured.NestedFieldNoCopy(live.Object, path...)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("%s (-want +got):\n%s", strings.Join(path, "."), diff)
		}
		return nil
	}
}

// managedBy wants the object to have exactly those field managers, each with its operation.
func managedBy(managers ...string) objectCheck {
	return func(live object) error {
		var got []string
		for _, entry := range live.GetManagedFields() {
			got = append(got, entry.Manager+" "+string(entry.Operation))
		}
		slices.Sort(got)
		return equal(managers, slices.Compact(got))
	}
}

// same wants the object to be that very one, not another of its name.
func same(as object) objectCheck {
	return func(live object) error {
		if live.GetUID() != as.GetUID() {
			return fmt.Errorf("it is another object: UID %s, want %s", live.GetUID(), as.GetUID())
		}
		return nil
	}
}

var errNotDeleting = errors.New("it is not being deleted")

func equal[T any](want, got T) error {
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("(-want +got):\n%s", diff)
	}
	return nil
}
