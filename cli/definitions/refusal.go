package definitions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// leftError is about parts of an object that belong to others, and are not in the folder or differ there.
type leftError struct {
	parts, managers []string
}

// Error names the parts, their owners and what takes them over.
func (e *leftError) Error() string {
	return fmt.Sprintf("applied, but %s is not as in the folder: it belongs to %s; --force takes it over",
		strings.Join(e.parts, ", "), strings.Join(e.managers, ", "))
}

// explain says in words what an API server means that refuses a definition, and what to do.
func explain(err error) error {
	switch {
	case isNotServed(err):
		return fmt.Errorf("the cluster does not know this kind: choose the hub with --context, or install Wheelwright's CRDs there (%w)", err)
	case isTooLarge(err):
		return fmt.Errorf("the definition is too large: an API server stores objects of up to 1.5 MiB, in which each tab, quote and end of line "+
			"counts twice; make the definition smaller (%w)", err)
	case apierrors.IsConflict(err):
		return explainConflict(err)
	}
	return err
}

// explainConflict names the field managers that own what would be changed.
func explainConflict(err error) error {
	status := apierrors.APIStatus(nil)
	if !errors.As(err, &status) || status.Status().Details == nil {
		return err
	}
	var fields, managers []string
	for _, cause := range status.Status().Details.Causes {
		if cause.Type != metav1.CauseTypeFieldManagerConflict {
			continue
		}
		fields = append(fields, strings.TrimPrefix(cause.Field, "."))
		if _, rest, ok := strings.Cut(cause.Message, `"`); ok { // as in: conflict with "kubectl" using v1
			manager, _, _ := strings.Cut(rest, `"`)
			managers = append(managers, manager)
		}
	}
	if len(fields) == 0 {
		return fmt.Errorf("it was changed meanwhile: apply again (%w)", err)
	}
	slices.Sort(managers)
	return fmt.Errorf("%s belongs to %s: --force takes it over", strings.Join(fields, ", "), strings.Join(slices.Compact(managers), ", "))
}

func isNotServed(err error) bool { return meta.IsNoMatchError(err) }

// isTooLarge knows the answers of the API server and of its etcd, of which either may be the first to refuse.
func isTooLarge(err error) bool {
	return apierrors.IsRequestEntityTooLargeError(err) || strings.Contains(err.Error(), "request is too large") ||
		strings.Contains(err.Error(), "trying to send message larger than max")
}
