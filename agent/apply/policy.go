package apply

import (
	"fmt"
	"slices"
	"strings"

	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Policy is what an output's annotations say of how its object is applied and kept. The zero value is what holds without any.
type Policy struct {
	// Once: it is applied once, and then left as it is, or as others make it.
	Once bool
	// Ownership is one of the values of OwnershipAnnotation, or empty.
	Ownership string
	// Retain: it stays when it is not rendered any more.
	Retain bool
	// Recreate: it may be deleted and made again where a field is immutable.
	Recreate bool
}

// PolicyError says that an annotation of an output has a value that means nothing. Trying again does not mend it.
type PolicyError struct {
	Annotation, Value string
	// Accepted are the values that it may have.
	Accepted []string
}

func (e *PolicyError) Error() string {
	return fmt.Sprintf("has the annotation %s: %q, which must be one of %s", e.Annotation, e.Value, strings.Join(e.Accepted, ", "))
}

// accepted are the values of each annotation.
var accepted = []struct {
	annotation string
	values     []string
}{
	{corev1alpha1.ApplyStrategyAnnotation, []string{corev1alpha1.ApplyAlways, corev1alpha1.ApplyOnce}},
	{corev1alpha1.OwnershipAnnotation,
		[]string{corev1alpha1.OwnershipTakeOver, corev1alpha1.OwnershipReadOnly, corev1alpha1.OwnershipShared}},
	{corev1alpha1.GCStrategyAnnotation, []string{corev1alpha1.GCDelete, corev1alpha1.GCRetain}},
	{corev1alpha1.RecreateAnnotation, []string{"true", "false"}},
}

// policyOf reads the annotations of a rendered object. The error is a *PolicyError.
func policyOf(annotations map[string]string) (Policy, error) {
	for _, one := range accepted {
		if value, ok := annotations[one.annotation]; ok && !slices.Contains(one.values, value) {
			return Policy{}, &PolicyError{Annotation: one.annotation, Value: value, Accepted: one.values}
		}
	}
	return Policy{
		Once:      annotations[corev1alpha1.ApplyStrategyAnnotation] == corev1alpha1.ApplyOnce,
		Ownership: annotations[corev1alpha1.OwnershipAnnotation],
		Retain:    annotations[corev1alpha1.GCStrategyAnnotation] == corev1alpha1.GCRetain,
		Recreate:  annotations[corev1alpha1.RecreateAnnotation] == "true",
	}, nil
}

// ReadOnly tells whether the object is never written to.
func (p Policy) ReadOnly() bool { return p.Ownership == corev1alpha1.OwnershipReadOnly }
