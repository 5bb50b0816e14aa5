package apply

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// agrees tells whether an apply would change nothing, for a process that does not remember one: the live object is owner's,
// wanted is what was applied to it last, and it has every value of it still. The hash alone would not see drift, and the
// values alone would not see a field that is not rendered any more. The spec of a Component has nothing beside them. Where the
// two are written differently it says no, and an apply finds out.
func agrees(owner object.Owner, wanted Object, live *unstructured.Unstructured) bool {
	return live != nil &&
		object.IsOwnedBy(live.GetLabels(), owner) &&
		live.GetAnnotations()[corev1alpha1.AppliedHashAnnotation] == wanted.Hash &&
		contains(live.Object, wanted.Output.Object.Object, false) &&
		object.SpecHashOf(live) == object.SpecHashOf(wanted.Output.Object)
}

// contains tells whether live has all of wanted. Maps may have more beside it, which others or the API server put there,
// unless exact.
func contains(live, wanted any, exact bool) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		has, ok := live.(map[string]any)
		if !ok || exact && len(has) != len(wanted) {
			return false
		}
		for key, value := range wanted {
			if got, ok := has[key]; !ok || !contains(got, value, exact || isSelector(key)) {
				return false
			}
		}
		return true
	case []any:
		has, ok := live.([]any)
		if !ok || len(has) != len(wanted) {
			return false
		}
		for i := range wanted {
			if !contains(has[i], wanted[i], exact) {
				return false
			}
		}
		return true
	}
	return sameScalar(live, wanted)
}

// isSelector tells fields of which Kubernetes makes one value: in a selector, an entry that somebody added is drift too.
func isSelector(key string) bool {
	return strings.HasSuffix(key, "elector") || key == "matchLabels"
}

// sameScalar compares numbers by their value, whichever type decoding gave them.
func sameScalar(a, b any) bool {
	switch a := a.(type) {
	case int64:
		if b, ok := b.(float64); ok {
			return float64(a) == b
		}
	case float64:
		if b, ok := b.(int64); ok {
			return a == float64(b)
		}
	case map[string]any, []any:
		return false // not comparable, and no scalar
	}
	return a == b
}
