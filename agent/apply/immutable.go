package apply

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// ImmutableError says that the API server refuses a change for good, since the field cannot be changed while the object exists.
// Nothing was done to the object.
type ImmutableError struct {
	// Fields are the paths of the fields, or what the API server says in their place.
	Fields []string
}

func (e *ImmutableError) Error() string {
	return fmt.Sprintf("has a field that cannot change while it exists, %s: undo the change, delete the object, or give the output the "+
		"annotation %s: \"true\", which lets it be deleted and made again", strings.Join(e.Fields, ", "), corev1alpha1.RecreateAnnotation)
}

// immutablePhrases are how Kubernetes' own kinds, and rules of custom ones, say that a field cannot be changed. There is no
// cause of a type of its own for it.
var immutablePhrases = []string{"immutable", "may not change", "may not be changed", "cannot change", "cannot be changed", "updates to "}

// immutable gives the *ImmutableError that an answer of the API server means, or nil. Only the fields are taken from the
// answer: it repeats values, of Secrets too.
func immutable(err error) *ImmutableError {
	var refused apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &refused) || refused.Status().Details == nil {
		return nil
	}
	var fields []string
	for _, cause := range refused.Status().Details.Causes {
		names := slices.ContainsFunc(immutablePhrases, func(phrase string) bool { return strings.Contains(cause.Message, phrase) })
		field := cause.Field
		if cause.Type == metav1.CauseTypeForbidden {
			field += " (" + cause.Message + ")" // which repeats no value, and says more where a whole spec is meant
		}
		if names && !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return &ImmutableError{Fields: fields}
}
