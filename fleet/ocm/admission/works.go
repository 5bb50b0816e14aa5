package admission

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// workValidator admits or denies ManifestWorks.
type workValidator struct {
	reviews authorizationclient.SubjectAccessReviewInterface
	limit   int
}

// Handle answers one review.
func (v *workValidator) Handle(ctx context.Context, request admission.Request) admission.Response {
	work := &workv1.ManifestWork{}
	if err := json.Unmarshal(request.Object.Raw, work); err != nil {
		return deny(fmt.Errorf("the ManifestWork cannot be decoded: %w", err))
	}
	if err := validateManifests(work.Spec.Workload.Manifests, v.limit); err != nil {
		return deny(err)
	}
	if request.Operation == admissionv1.Update {
		before := &workv1.ManifestWork{}
		if err := json.Unmarshal(request.OldObject.Raw, before); err != nil {
			return deny(fmt.Errorf("the former ManifestWork cannot be decoded: %w", err))
		}
		if reflect.DeepEqual(before.Spec.Executor, work.Spec.Executor) {
			return admission.Allowed("")
		}
	}
	if err := v.validateExecutor(ctx, work, request.UserInfo); err != nil {
		return deny(err)
	}
	return admission.Allowed("")
}

// validateExecutor makes sure that whoever names an executor may act through it.
func (v *workValidator) validateExecutor(ctx context.Context, work *workv1.ManifestWork, user authenticationv1.UserInfo) error {
	if work.Spec.Executor == nil {
		return nil
	}
	account := work.Spec.Executor.Subject.ServiceAccount
	if account == nil {
		return fmt.Errorf("executor service account can not be nil")
	}
	extra := map[string]authorizationv1.ExtraValue{}
	for key, values := range user.Extra {
		extra[key] = authorizationv1.ExtraValue(values)
	}
	review, err := v.reviews.Create(ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:   user.Username,
		UID:    user.UID,
		Groups: user.Groups,
		Extra:  extra,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Group:     workv1.GroupName,
			Resource:  "manifestworks",
			Verb:      "execute-as",
			Namespace: work.Namespace,
			Name:      fmt.Sprintf("system:serviceaccount:%s:%s", account.Namespace, account.Name),
		},
	}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("cannot find out whether user %s may use the executor: %w", user.Username, err)
	}
	if !review.Status.Allowed {
		return fmt.Errorf("user %s cannot manipulate the Manifestwork with executor %s/%s in namespace %s",
			user.Username, account.Namespace, account.Name, work.Namespace)
	}
	return nil
}

// deny answers that the request is at fault, as OCM does.
func deny(err error) admission.Response {
	return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{
		Allowed: false,
		Result: &metav1.Status{
			Status:  metav1.StatusFailure,
			Code:    http.StatusBadRequest,
			Reason:  metav1.StatusReasonBadRequest,
			Message: err.Error(),
		},
	}}
}
