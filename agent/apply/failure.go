package apply

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"wheelwright.dev/wheelwright/agent/object"
	corev1alpha1 "wheelwright.dev/wheelwright/shared/api/core/v1alpha1"
)

// Failure is why one object is not as it should be.
type Failure struct {
	Key object.Key
	Err error
}

// Failures are those of one attempt.
type Failures []Failure

// maxNamed bounds the objects that an error names.
const maxNamed = 10

// Error names the objects and what is wrong with each.
func (f Failures) Error() string {
	lines := make([]string, 0, maxNamed+1)
	for i, failure := range f {
		if i == maxNamed {
			lines = append(lines, fmt.Sprintf("and %d more", len(f)-maxNamed))
			break
		}
		lines = append(lines, fmt.Sprintf("%s: %v", failure.Key, failure.Err))
	}
	return strings.Join(lines, "; ")
}

// Unwrap gives the errors of the single objects, for errors.As.
func (f Failures) Unwrap() []error {
	unwrapped := make([]error, 0, len(f))
	for _, failure := range f {
		unwrapped = append(unwrapped, failure.Err)
	}
	return unwrapped
}

// OwnedError says that an object belongs to another Component that exists. Nothing was done to the object.
type OwnedError struct {
	Owner object.Owner
	// Live is the object as it was seen.
	Live *unstructured.Unstructured
}

func (e *OwnedError) Error() string {
	return fmt.Sprintf("belongs to Component %s/%s already: rename one of the two objects, or give both outputs the annotation %s: %s",
		e.Owner.Namespace, e.Owner.Name, corev1alpha1.OwnershipAnnotation, corev1alpha1.OwnershipShared)
}

// TakenError says that there is a Component of that name already, and that it is part of no other: a person or the hub made it.
// Nothing was done to it.
type TakenError struct{}

func (*TakenError) Error() string {
	return "is there already and is not part of this Component: rename the output, or delete it"
}

// TerminatingError says that an object of that name is still being deleted. It is applied again once it is gone.
type TerminatingError struct {
	Finalizers []string
	// Live is the object as it was seen, where it was seen by the watch.
	Live *unstructured.Unstructured
}

func (e *TerminatingError) Error() string {
	if len(e.Finalizers) == 0 {
		return "is still being deleted"
	}
	return fmt.Sprintf("is still being deleted: it waits for the finalizers %s", strings.Join(e.Finalizers, ", "))
}

// MissingError says that an object that is only read is not there. It is waited for.
type MissingError struct{}

func (*MissingError) Error() string {
	return fmt.Sprintf("is not there: its output is %s, so that it is waited for and not made", corev1alpha1.OwnershipReadOnly)
}
